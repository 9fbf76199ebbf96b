<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Format</name>
    <message>
        <source>s</source>
        <comment>seconds</comment>
        <translation>秒</translation>
    </message>
    <message>
        <source>min</source>
        <comment>minutes</comment>
        <translation>分钟</translation>
    </message>
    <message>
        <source>h</source>
        <comment>hours</comment>
        <translation>小时</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>M月d日</translation>
    </message>
</context>
<context>
    <name>PauseMenu</name>
    <message>
        <source>15 minutes, until %1</source>
        <translation>15 分钟，到 %1</translation>
    </message>
    <message>
        <source>30 minutes, until %1</source>
        <translation>30 分钟，到 %1</translation>
    </message>
    <message>
        <source>1 hour, until %1</source>
        <translation>1 小时，到 %1</translation>
    </message>
    <message>
        <source>4 hours, until %1</source>
        <translation>4 小时，到 %1</translation>
    </message>
    <message>
        <source>Until tomorrow, %1 %2</source>
        <translation>到明天，%1 %2</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>直到我恢复</translation>
    </message>
    <message>
        <source>Until I stop it</source>
        <translation>直到我停止</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>Starts at %1.</source>
        <translation>%1 开始。</translation>
    </message>
    <message>
        <source>Starts at about %1.</source>
        <translation>约 %1 开始。</translation>
    </message>
    <message>
        <source>Starts at %1 at the earliest.</source>
        <translation>最早 %1 开始。</translation>
    </message>
    <message numerus="yes">
        <source>%n other rules stop it too.</source>
        <translation>
            <numerusform>另有 %n 条规则也要求停止。</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for you to leave the PC</source>
        <translation>等您离开电脑</translation>
    </message>
    <message>
        <source>Paused by a rule: you are using the PC</source>
        <translation>因规则暂停：您正在使用电脑</translation>
    </message>
    <message>
        <source>Paused by a rule: input cannot be seen</source>
        <translation>因规则暂停：无法得知输入</translation>
    </message>
    <message>
        <source>Whether you use the PC is unknown (%1), and unknown counts as in use.</source>
        <translation>不知道您是否在用电脑（%1），未知按使用中处理。</translation>
    </message>
    <message>
        <source>Last input %1 ago, %2 of quiet needed.</source>
        <translation>上次输入在 %1前，需要安静 %2。</translation>
    </message>
    <message>
        <source>Paused by a rule: %1 unknown</source>
        <translation>因规则暂停：%1未知</translation>
    </message>
    <message>
        <source>%1: %2. Unknown never counts as “go”.</source>
        <translation>%1：%2。未知绝不当作“可以”。</translation>
    </message>
    <message>
        <source>Paused by you</source>
        <translation>由您暂停</translation>
    </message>
    <message>
        <source>Paused by a rule: all devices are off</source>
        <translation>因规则暂停：所有设备已关闭</translation>
    </message>
    <message>
        <source>You have switched every device off in the settings.</source>
        <translation>您在设置中关闭了所有设备。</translation>
    </message>
    <message>
        <source>Paused by a rule: the mode is “never”</source>
        <translation>因规则暂停：模式为“从不”</translation>
    </message>
    <message>
        <source>You have chosen in the settings that nothing is trained.</source>
        <translation>您在设置中选择了不训练。</translation>
    </message>
    <message>
        <source>Paused by a rule: power has failed</source>
        <translation>因规则暂停：停电</translation>
    </message>
    <message>
        <source>The UPS runs on its battery.</source>
        <translation>UPS 正在用电池供电。</translation>
    </message>
    <message>
        <source>Paused by a rule: the battery is nearly empty</source>
        <translation>因规则暂停：电量即将耗尽</translation>
    </message>
    <message>
        <source>The battery has %1, %2 are needed.</source>
        <translation>电量 %1，需要 %2。</translation>
    </message>
    <message>
        <source>Paused by a rule: the PC is going to sleep</source>
        <translation>因规则暂停：电脑即将睡眠</translation>
    </message>
    <message>
        <source>The work is saved and goes on after waking up.</source>
        <translation>工作已保存，唤醒后继续。</translation>
    </message>
    <message>
        <source>Waiting for the PC to settle</source>
        <translation>等待电脑就绪</translation>
    </message>
    <message>
        <source>Awake for %1, %2 are left to you after a login or sleep.</source>
        <translation>已唤醒 %1；登录或睡眠后的 %2 留给您使用。</translation>
    </message>
    <message>
        <source>Waiting for the screen lock</source>
        <translation>等待锁屏</translation>
    </message>
    <message>
        <source>You have chosen to train only while the screen is locked.</source>
        <translation>您选择了仅在锁屏时训练。</translation>
    </message>
    <message>
        <source>Paused by a rule: the network is metered</source>
        <translation>因规则暂停：网络按流量计费</translation>
    </message>
    <message>
        <source>Finished work waits on the disk.</source>
        <translation>完成的工作在磁盘上等待。</translation>
    </message>
    <message>
        <source>Paused by a rule: little disk space</source>
        <translation>因规则暂停：磁盘空间不足</translation>
    </message>
    <message>
        <source>%1 are free, %2 are to stay free.</source>
        <translation>可用 %1，需保留 %2。</translation>
    </message>
    <message>
        <source>Paused by a rule: disk limit reached</source>
        <translation>因规则暂停：达到磁盘上限</translation>
    </message>
    <message>
        <source>SunLoCo uses %1 of the %2 that you allow.</source>
        <translation>SunLoCo 已用 %1，您允许 %2。</translation>
    </message>
    <message>
        <source>Paused by a rule: the PC runs on battery</source>
        <translation>因规则暂停：电脑正在用电池</translation>
    </message>
    <message>
        <source>You have chosen to train only on mains power.</source>
        <translation>您选择了仅在接通电源时训练。</translation>
    </message>
    <message>
        <source>Paused by a rule: the battery is low</source>
        <translation>因规则暂停：电量低</translation>
    </message>
    <message>
        <source>Paused by a rule: no hour is chosen</source>
        <translation>因规则暂停：没有选定时段</translation>
    </message>
    <message>
        <source>The week in the settings has no hour in which it may run.</source>
        <translation>设置中的一周里没有可运行的时段。</translation>
    </message>
    <message>
        <source>Paused by a rule: outside the chosen hours</source>
        <translation>因规则暂停：不在选定时段</translation>
    </message>
    <message>
        <source>The week in the settings keeps this hour free.</source>
        <translation>设置中的一周不包含这个时段。</translation>
    </message>
    <message>
        <source>Waiting: a short rest</source>
        <translation>等待：短暂休息</translation>
    </message>
    <message>
        <source>Rested for %1 of %2 after a stop by power or disk.</source>
        <translation>因电源或磁盘停止后已休息 %1 / %2。</translation>
    </message>
    <message>
        <source>Training slowly</source>
        <translation>慢速训练</translation>
    </message>
    <message>
        <source>Waiting for work</source>
        <translation>等待任务</translation>
    </message>
    <message>
        <source>The project has nothing to train at this moment.</source>
        <translation>项目目前没有训练任务。</translation>
    </message>
    <message>
        <source>Paused by a rule: %1</source>
        <translation>因规则暂停：%1</translation>
    </message>
    <message>
        <source>Training gently while you use the PC</source>
        <translation>您使用电脑时轻柔训练</translation>
    </message>
    <message>
        <source>The device works %1 of the time.</source>
        <translation>设备有 %1 的时间在工作。</translation>
    </message>
    <message>
        <source>Training while you are away</source>
        <translation>您离开时训练中</translation>
    </message>
    <message>
        <source>You have been away %1, %2 are needed.</source>
        <translation>您已离开 %1，需要 %2。</translation>
    </message>
    <message>
        <source>Runs until %1, or until you touch the PC.</source>
        <translation>运行到 %1，或直到您使用电脑。</translation>
    </message>
    <message>
        <source>Runs until you touch the PC.</source>
        <translation>运行到您使用电脑。</translation>
    </message>
    <message>
        <source>Goes on when you resume.</source>
        <translation>您恢复后继续。</translation>
    </message>
    <message>
        <source>%1 are left.</source>
        <translation>还剩 %1。</translation>
    </message>
    <message>
        <source>Goes on at %1.</source>
        <translation>%1 继续。</translation>
    </message>
    <message>
        <source>Uploading</source>
        <translation>正在上传</translation>
    </message>
    <message>
        <source>Uploading round %1</source>
        <translation>正在上传第 %1 轮</translation>
    </message>
    <message>
        <source>%1 of %2 are sent.</source>
        <translation>已发送 %1 / %2。</translation>
    </message>
    <message>
        <source>Done in about %1.</source>
        <translation>约 %1 后完成。</translation>
    </message>
    <message>
        <source>Needs you: %1</source>
        <translation>需要您处理：%1</translation>
    </message>
    <message>
        <source>Tries again at %1.</source>
        <translation>%1 重试。</translation>
    </message>
    <message>
        <source>No project yet</source>
        <translation>还没有项目</translation>
    </message>
    <message>
        <source>This PC does not train anything.</source>
        <translation>这台电脑没有训练任务。</translation>
    </message>
    <message>
        <source>Join a project with the link that it gives you.</source>
        <translation>用项目给您的链接加入。</translation>
    </message>
    <message>
        <source>Training (always)</source>
        <translation>训练中（始终）</translation>
    </message>
    <message>
        <source>You have chosen the mode “always”; safety, disk and network limits still hold.</source>
        <translation>您选择了“始终”模式；安全、磁盘和网络限制仍然有效。</translation>
    </message>
    <message>
        <source>Runs until you change the mode.</source>
        <translation>运行到您更改模式。</translation>
    </message>
    <message>
        <source>Training (you asked)</source>
        <translation>训练中（应您要求）</translation>
    </message>
    <message>
        <source>“Run now” stands above the rules; safety, disk and network limits still hold.</source>
        <translation>“立即运行”优先于规则；安全、磁盘和网络限制仍然有效。</translation>
    </message>
    <message>
        <source>Runs until %1.</source>
        <translation>运行到 %1。</translation>
    </message>
    <message>
        <source>Runs until you stop it.</source>
        <translation>运行到您停止。</translation>
    </message>
    <message>
        <source>Asks again at %1.</source>
        <translation>%1 再次询问。</translation>
    </message>
    <message>
        <source>Waiting for the server</source>
        <translation>等待服务器</translation>
    </message>
    <message>
        <source>The project&apos;s server does not answer.</source>
        <translation>项目的服务器没有应答。</translation>
    </message>
    <message>
        <source>Since %1.</source>
        <translation>自 %1 起。</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>The model and the text are being prepared.</source>
        <translation>正在准备模型和文本。</translation>
    </message>
    <message>
        <source>the trainer stopped</source>
        <translation>训练程序已停止</translation>
    </message>
    <message>
        <source>the project refuses this PC</source>
        <translation>项目拒绝这台电脑</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>Nothing can be saved. Free some space on the disk of the data folder.</source>
        <translation>无法保存任何内容。请在数据文件夹所在磁盘上腾出空间。</translation>
    </message>
    <message>
        <source>the project has changed</source>
        <translation>项目已更改</translation>
    </message>
    <message>
        <source>a newer SunLoCo is needed</source>
        <translation>需要更新的 SunLoCo</translation>
    </message>
    <message>
        <source>The project speaks a newer language than this version. Install the update.</source>
        <translation>项目使用的协议比此版本新。请安装更新。</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>As the system says</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>The environment&apos;s https_proxy and no_proxy decide.</source>
        <translation>由环境变量 https_proxy 和 no_proxy 决定。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Straight to the project&apos;s server.</source>
        <translation>直接连接项目服务器。</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Choose, or type an address such as http://proxy.home:3128.</source>
        <translation>请选择，或输入地址，例如 http://proxy.home:3128。</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Train whatever you do. Safety, disk and network limits still hold.</source>
        <translation>无论您在做什么都训练。安全、磁盘和网络限制仍然有效。</translation>
    </message>
    <message>
        <source>By the rules</source>
        <translation>按规则</translation>
    </message>
    <message>
        <source>Train when every rule on this page allows it.</source>
        <translation>本页所有规则都允许时训练。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Do not train until you change this.</source>
        <translation>在您更改之前不训练。</translation>
    </message>
    <message>
        <source>Whenever idle</source>
        <translation>空闲时</translation>
    </message>
    <message>
        <source>Any power, any time you are away from the keyboard for 10 minutes.</source>
        <translation>任何电源，只要您离开键盘 10 分钟。</translation>
    </message>
    <message>
        <source>Idle, at night only</source>
        <translation>仅夜间空闲时</translation>
    </message>
    <message>
        <source>Between 22:00 and 7:00, when you have been away for 10 minutes. You can draw other hours later.</source>
        <translation>22:00 至 7:00 之间，且您已离开 10 分钟。以后可以画出其他时段。</translation>
    </message>
    <message>
        <source>Gently, also while I work</source>
        <translation>轻柔，工作时也运行</translation>
    </message>
    <message>
        <source>At full speed while you are away, at a quarter of it while you use the PC.</source>
        <translation>您离开时全速，使用电脑时四分之一速度。</translation>
    </message>
    <message>
        <source>Wait for another network</source>
        <translation>等待其他网络</translation>
    </message>
    <message>
        <source>Train on; finished work waits on the disk until a network without a data limit is there.</source>
        <translation>继续训练；完成的工作在磁盘上等待不限流量的网络。</translation>
    </message>
    <message>
        <source>Wait, also when it cannot be told</source>
        <translation>无法判断时也等待</translation>
    </message>
    <message>
        <source>Upload only when the system says that the network has no data limit.</source>
        <translation>仅在系统表明网络不限流量时上传。</translation>
    </message>
    <message>
        <source>Upload all the same</source>
        <translation>照常上传</translation>
    </message>
    <message>
        <source>A metered network is used like any other.</source>
        <translation>按流量计费的网络与其他网络同样使用。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Whether the rules below decide, or nothing but you.</source>
        <translation>由下面的规则决定，还是只由您决定。</translation>
    </message>
    <message>
        <source>How much may it take?</source>
        <translation>允许占用多少？</translation>
    </message>
    <message>
        <source>A starting point that sets several rules at once; each can be changed afterwards.</source>
        <translation>一次设定多条规则的起点；之后每条都可更改。</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>登录时启动</translation>
    </message>
    <message>
        <source>Starts in the tray, without a window.</source>
        <translation>在托盘中启动，不显示窗口。</translation>
    </message>
    <message>
        <source>Start after no input for</source>
        <translation>无输入多久后开始</translation>
    </message>
    <message>
        <source>Keyboard, mouse and touch count. Training stops with the first touch. While the screen is locked, one minute is enough.</source>
        <translation>键盘、鼠标和触摸都算输入。一有输入即停止训练。锁屏时一分钟就够。</translation>
    </message>
    <message>
        <source>Also while I use the PC, at</source>
        <translation>我使用电脑时也运行，占</translation>
    </message>
    <message>
        <source>The share of time that the graphics card or processor works while you are there.</source>
        <translation>您在场时显卡或处理器工作的时间比例。</translation>
    </message>
    <message>
        <source>Only while the screen is locked</source>
        <translation>仅在锁屏时</translation>
    </message>
    <message>
        <source>Waits for the lock screen, however long you have been away.</source>
        <translation>无论您离开多久，都等到锁屏。</translation>
    </message>
    <message>
        <source>Use the device at most</source>
        <translation>设备最多使用</translation>
    </message>
    <message>
        <source>Pauses between steps; needs no administrator rights. Less is cooler and quieter.</source>
        <translation>在步骤之间停顿；无需管理员权限。越低越凉、越安静。</translation>
    </message>
    <message>
        <source>Only in chosen hours of the week</source>
        <translation>仅在一周中选定的时段</translation>
    </message>
    <message>
        <source>Outside the chosen hours nothing runs.</source>
        <translation>选定时段之外不运行。</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>一周</translation>
    </message>
    <message>
        <source>Filled = may run. Hours of this PC&apos;s clock.</source>
        <translation>填色 = 可以运行。按本机时钟。</translation>
    </message>
    <message>
        <source>Once started, run at least</source>
        <translation>一旦开始，至少运行</translation>
    </message>
    <message>
        <source>Holds against small swings, such as a battery level around its limit. Your touch always stops it at once.</source>
        <translation>用于抵御小波动，例如电量在限值附近。您一操作总是立即停止。</translation>
    </message>
    <message>
        <source>Once stopped by power or disk, rest at least</source>
        <translation>因电源或磁盘停止后，至少休息</translation>
    </message>
    <message>
        <source>Keeps a loose plug or a nearly full disk from starting and stopping it again and again.</source>
        <translation>避免插头松动或磁盘将满时反复启停。</translation>
    </message>
    <message>
        <source>Also on battery</source>
        <translation>用电池时也运行</translation>
    </message>
    <message>
        <source>Off: runs only while the PC is plugged in.</source>
        <translation>关闭：仅在接通电源时运行。</translation>
    </message>
    <message>
        <source>On battery, stop below</source>
        <translation>用电池时，低于此值停止</translation>
    </message>
    <message>
        <source>Below 10 % it stops in any case.</source>
        <translation>低于 10 % 时一定停止。</translation>
    </message>
    <message>
        <source>On a metered network</source>
        <translation>在按流量计费的网络上</translation>
    </message>
    <message>
        <source>What happens with finished work where data costs money.</source>
        <translation>流量收费时如何处理完成的工作。</translation>
    </message>
    <message>
        <source>Send finished work while paused</source>
        <translation>暂停时仍发送完成的工作</translation>
    </message>
    <message>
        <source>Finished work is worth something only if it arrives before the round ends.</source>
        <translation>完成的工作只有在本轮结束前送达才有用。</translation>
    </message>
    <message>
        <source>Upload at most</source>
        <translation>上传上限</translation>
    </message>
    <message>
        <source>Shared by all projects.</source>
        <translation>所有项目共用。</translation>
    </message>
    <message>
        <source>Download at most</source>
        <translation>下载上限</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>磁盘保留空间</translation>
    </message>
    <message>
        <source>Training stops while less is free.</source>
        <translation>可用空间不足时停止训练。</translation>
    </message>
    <message>
        <source>Take at most</source>
        <translation>最多占用</translation>
    </message>
    <message>
        <source>Everything that SunLoCo keeps: text, models, saved states.</source>
        <translation>SunLoCo 保存的全部内容：文本、模型、存档。</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>处理器线程</translation>
    </message>
    <message>
        <source>Automatic leaves one core free. Takes effect with the next start of training.</source>
        <translation>自动会留出一个核心。下次开始训练时生效。</translation>
    </message>
    <message>
        <source>Use this device</source>
        <translation>使用此设备</translation>
    </message>
    <message>
        <source>A device of its own mode does not wait for the others.</source>
        <translation>有单独模式的设备不等待其他设备。</translation>
    </message>
    <message>
        <source>General</source>
        <translation>常规</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Battery</source>
        <translation>电池</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>Allows</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Stops</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>asked, no answer yet</source>
        <translation>已询问，尚无回答</translation>
    </message>
    <message>
        <source>nothing here can tell</source>
        <translation>此处无法得知</translation>
    </message>
    <message>
        <source>not permitted to ask</source>
        <translation>无权询问</translation>
    </message>
    <message>
        <source>the last value is too old</source>
        <translation>上次数值过旧</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有应答</translation>
    </message>
    <message>
        <source>not paused</source>
        <translation>未暂停</translation>
    </message>
    <message>
        <source>paused for a time</source>
        <translation>限时暂停</translation>
    </message>
    <message>
        <source>until you resume</source>
        <translation>直到您恢复</translation>
    </message>
    <message>
        <source>you asked for it</source>
        <translation>应您要求</translation>
    </message>
    <message>
        <source>always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>by the rules</source>
        <translation>按规则</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>all devices are off</source>
        <translation>所有设备已关闭</translation>
    </message>
    <message>
        <source>UPS on battery</source>
        <translation>UPS 用电池</translation>
    </message>
    <message>
        <source>mains</source>
        <translation>外接电源</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>用电池</translation>
    </message>
    <message>
        <source>about to sleep</source>
        <translation>即将睡眠</translation>
    </message>
    <message>
        <source>awake</source>
        <translation>清醒</translation>
    </message>
    <message>
        <source>locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>unlocked</source>
        <translation>未锁定</translation>
    </message>
    <message>
        <source>metered</source>
        <translation>按流量计费</translation>
    </message>
    <message>
        <source>not metered</source>
        <translation>不限流量</translation>
    </message>
    <message>
        <source>open</source>
        <translation>开放</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>no hour chosen</source>
        <translation>没有选定时段</translation>
    </message>
    <message>
        <source>no rest needed</source>
        <translation>无需休息</translation>
    </message>
    <message>
        <source>there is work</source>
        <translation>有任务</translation>
    </message>
    <message>
        <source>no work</source>
        <translation>没有任务</translation>
    </message>
    <message>
        <source>waits for the minimum time</source>
        <translation>等待最短时间</translation>
    </message>
    <message>
        <source>input unknown</source>
        <translation>输入未知</translation>
    </message>
    <message>
        <source>Paused by you</source>
        <translation>由您暂停</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Power supply</source>
        <translation>供电</translation>
    </message>
    <message>
        <source>Sleep</source>
        <translation>睡眠</translation>
    </message>
    <message>
        <source>Time since login</source>
        <translation>登录后时间</translation>
    </message>
    <message>
        <source>Screen lock</source>
        <translation>锁屏</translation>
    </message>
    <message>
        <source>Keyboard and mouse</source>
        <translation>键盘和鼠标</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>可用磁盘</translation>
    </message>
    <message>
        <source>Disk used by SunLoCo</source>
        <translation>SunLoCo 占用磁盘</translation>
    </message>
    <message>
        <source>Mains or battery</source>
        <translation>外接电源或电池</translation>
    </message>
    <message>
        <source>Battery level</source>
        <translation>电量</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>时间表</translation>
    </message>
    <message>
        <source>Minimum times</source>
        <translation>最短时间</translation>
    </message>
    <message>
        <source>Share of the device</source>
        <translation>设备占用比例</translation>
    </message>
    <message>
        <source>Work from the project</source>
        <translation>项目任务</translation>
    </message>
    <message>
        <source>Would stop</source>
        <translation>本会停止</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>按 %1</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <comment>how long ago</comment>
        <translation>%1前</translation>
    </message>
    <message>
        <source>away %1</source>
        <translation>已离开 %1</translation>
    </message>
    <message>
        <source>%1 at the earliest</source>
        <translation>最早 %1</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>verdict: value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, limit %3</source>
        <comment>verdict: value, limit</comment>
        <translation>%1：%2，限值 %3</translation>
    </message>
</context>
<context>
    <name>Why</name>
    <message>
        <source>Your pause</source>
        <translation>您的暂停</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Sleep and lock</source>
        <translation>睡眠和锁屏</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Network and disk</source>
        <translation>网络和磁盘</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能源</translation>
    </message>
    <message>
        <source>Project has work</source>
        <translation>项目有任务</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::AmountPage</name>
    <message>
        <source>How much may it take?</source>
        <translation>允许占用多少？</translation>
    </message>
    <message>
        <source>You can change this at any time. Using the PC always comes first.</source>
        <translation>随时可以更改。您使用电脑永远优先。</translation>
    </message>
    <message>
        <source>Joining %1</source>
        <translation>正在加入 %1</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ChartFrame</name>
    <message>
        <source>Show as &amp;table…</source>
        <translation>以表格显示(&amp;T)…</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>关闭(&amp;L)</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionModel</name>
    <message>
        <source>%1 billion</source>
        <translation>%1 十亿</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练中</translation>
    </message>
    <message>
        <source>Packed, waits for the upload</source>
        <translation>已打包，等待上传</translation>
    </message>
    <message>
        <source>Uploading</source>
        <translation>正在上传</translation>
    </message>
    <message>
        <source>Received, counts when the round closes</source>
        <translation>已收到，本轮结束时计入</translation>
    </message>
    <message>
        <source>Accepted, weight %1</source>
        <translation>已采纳，权重 %1</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>已采纳</translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>未采用</translation>
    </message>
    <message>
        <source>Not used: %1</source>
        <translation>未采用：%1</translation>
    </message>
    <message>
        <source>Not used: the round had closed</source>
        <translation>未采用：该轮已结束</translation>
    </message>
    <message>
        <source>Given up</source>
        <translation>已放弃</translation>
    </message>
    <message>
        <source>Given up: %1</source>
        <translation>已放弃：%1</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <comment>first and last round of a range</comment>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>steps done of steps wanted</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 each</source>
        <translation>每轮：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n receipts</source>
        <translation>
            <numerusform>%n 张收据</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the receipt</source>
        <translation>查看收据</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>完成时间</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>收据</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionPage</name>
    <message>
        <source>%1 billion</source>
        <translation>%1 十亿</translation>
    </message>
    <message>
        <source>%1 million</source>
        <translation>%1 百万</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>贡献</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>held-out loss, lower is better</source>
        <translation>留出集损失，越低越好</translation>
    </message>
    <message>
        <source>How well the model predicts unseen text</source>
        <translation>模型预测新文本的水平</translation>
    </message>
    <message>
        <source>Tokens trained a day</source>
        <translation>每天训练的词元</translation>
    </message>
    <message>
        <source>Rounds accepted a day</source>
        <translation>每天采纳的轮次</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>No project yet. What this PC gives to a project is shown here.</source>
        <translation>还没有项目。这里会显示这台电脑对项目的贡献。</translation>
    </message>
    <message>
        <source>No round yet. The first is listed here as soon as its training begins.</source>
        <translation>还没有轮次。第一轮开始训练后会列在这里。</translation>
    </message>
    <message>
        <source>rounds accepted</source>
        <translation>轮已采纳</translation>
    </message>
    <message>
        <source>of %1 sent</source>
        <translation>共发送 %1 轮</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>date format: day and month</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>tokens accepted</source>
        <translation>词元已采纳</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1 起</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>of a round</source>
        <translation>占一轮</translation>
    </message>
    <message>
        <source>of round %1</source>
        <translation>占第 %1 轮</translation>
    </message>
    <message numerus="yes">
        <source>%n PCs took part</source>
        <translation>
            <numerusform>%n 台电脑参加</numerusform>
        </translation>
    </message>
    <message>
        <source>used for it</source>
        <translation>为此耗电</translation>
    </message>
    <message>
        <source>partly estimated</source>
        <translation>部分为估算</translation>
    </message>
    <message>
        <source>Export the rounds</source>
        <translation>导出轮次</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV 文件 (*.csv)</translation>
    </message>
    <message>
        <source>The rounds were not saved to %1: %2. Choose another folder.</source>
        <translation>轮次没有保存到 %1：%2。请选择其他文件夹。</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DayBand</name>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>没有记录</translation>
    </message>
    <message>
        <source>nothing used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>still to come</source>
        <translation>尚未到来</translation>
    </message>
    <message>
        <source>%1 to %2, %3</source>
        <translation>%1 至 %2，%3</translation>
    </message>
    <message>
        <source>no training yet</source>
        <translation>还没有训练</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DayChart</name>
    <message>
        <source>Tokens a day</source>
        <translation>每天词元</translation>
    </message>
    <message>
        <source>Rounds accepted a day</source>
        <translation>每天采纳的轮次</translation>
    </message>
    <message>
        <source> M</source>
        <comment>short for million, behind a number</comment>
        <translation> M</translation>
    </message>
    <message>
        <source> k</source>
        <comment>short for thousand, behind a number</comment>
        <translation> k</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>M月d日</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n rounds</source>
        <translation>
            <numerusform>%n 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 tokens</source>
        <translation>%1：%2 词元</translation>
    </message>
    <message>
        <source>%1 est.</source>
        <translation>约 %1（估算）</translation>
    </message>
    <message>
        <source>%1: %2 tokens, %3, %4</source>
        <translation>%1：%2 词元，%3，%4</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>还没有数值</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>kWh</source>
        <translation>kWh</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DesktopShell</name>
    <message>
        <source>SunLoCo goes on without its window</source>
        <translation>关闭窗口后 SunLoCo 继续运行</translation>
    </message>
    <message>
        <source>Training goes on in the tray. Open the window again, pause or quit from the tray icon.</source>
        <translation>训练在托盘中继续。可从托盘图标重新打开窗口、暂停或退出。</translation>
    </message>
    <message>
        <source>This desktop shows no tray icons. Training goes on; start SunLoCo again to open the window.</source>
        <translation>此桌面不显示托盘图标。训练会继续；再次启动 SunLoCo 即可打开窗口。</translation>
    </message>
    <message>
        <source>&amp;Go on training</source>
        <translation>继续训练(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Quit SunLoCo</source>
        <translation>退出 SunLoCo(&amp;Q)</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DeviceCard</name>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Round %1 · %2 of %3 steps</source>
        <translation>第 %1 轮 · %2 / %3 步</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>no round is running</source>
        <translation>没有进行中的轮次</translation>
    </message>
    <message>
        <source>Round %1</source>
        <translation>第 %1 轮</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n 个线程</numerusform>
        </translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>est.</source>
        <translation>估算</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Estimated from the processor&apos;s load; no meter could be read.</source>
        <translation>按处理器负载估算；没有可读取的电表。</translation>
    </message>
    <message>
        <source>Read from the device&apos;s own meter.</source>
        <translation>读自设备自身的测量。</translation>
    </message>
    <message>
        <source>training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>越低越好</translation>
    </message>
    <message>
        <source>The round closes at %1.</source>
        <translation>本轮 %1 结束。</translation>
    </message>
    <message>
        <source>You have switched this device off.</source>
        <translation>您已关闭此设备。</translation>
    </message>
    <message>
        <source>Stopped at step %1 of %2; it goes on from there.</source>
        <translation>停在第 %1 / %2 步，之后从这里继续。</translation>
    </message>
    <message>
        <source>All steps done, the update is being packed.</source>
        <translation>所有步骤已完成，正在打包更新。</translation>
    </message>
    <message>
        <source>The time left is known after a few steps.</source>
        <translation>几步之后即可知道剩余时间。</translation>
    </message>
    <message>
        <source>About %1 left, then the upload.</source>
        <translation>约剩 %1，然后上传。</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DonePage</name>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>SunLoCo waits in the tray until the time is right.</source>
        <translation>SunLoCo 会在托盘中等待合适的时机。</translation>
    </message>
    <message>
        <source>&amp;Start SunLoCo when I log in</source>
        <translation>登录时启动 SunLoCo(&amp;S)</translation>
    </message>
    <message>
        <source>Pause it from the tray icon whenever you like.</source>
        <translation>随时可从托盘图标暂停。</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::JoinWizard</name>
    <message>
        <source>Set up SunLoCo</source>
        <translation>设置 SunLoCo</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>上一步(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Join</source>
        <translation>加入(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Finish</source>
        <translation>完成(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>What it takes</source>
        <translation>需要什么</translation>
    </message>
    <message>
        <source>How much</source>
        <translation>占用多少</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LinkPage</name>
    <message>
        <source>Join a project</source>
        <translation>加入项目</translation>
    </message>
    <message>
        <source>Paste the link you were given. No account, no e-mail address.</source>
        <translation>粘贴您收到的链接。无需账号，无需邮箱。</translation>
    </message>
    <message>
        <source>Project &amp;link</source>
        <translation>项目链接(&amp;L)</translation>
    </message>
    <message>
        <source>Project link</source>
        <translation>项目链接</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Invite code (only if you have one)</source>
        <translation>邀请码（如果有）(&amp;I)</translation>
    </message>
    <message>
        <source>Invite code</source>
        <translation>邀请码</translation>
    </message>
    <message>
        <source>Check of the link</source>
        <translation>链接检查</translation>
    </message>
    <message>
        <source>Checking the link</source>
        <translation>正在检查链接</translation>
    </message>
    <message>
        <source>Asking the server for its signed description.</source>
        <translation>正在向服务器索取签名的项目说明。</translation>
    </message>
    <message>
        <source>This link cannot be used</source>
        <translation>此链接无法使用</translation>
    </message>
    <message>
        <source>Fingerprint %1, checked before anything else was loaded.</source>
        <translation>指纹 %1，在加载其他内容之前已核对。</translation>
    </message>
    <message>
        <source>The server uses its own certificate; its key is the one named in the link.</source>
        <translation>服务器使用自有证书；其密钥与链接中所写一致。</translation>
    </message>
    <message>
        <source>This project takes part by invitation: fill in your invite code.</source>
        <translation>此项目仅限受邀参加：请填写邀请码。</translation>
    </message>
    <message>
        <source>Link and server belong together.</source>
        <translation>链接与服务器相符。</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LogPage</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>&amp;Copy shown lines</source>
        <translation>复制显示的行(&amp;C)</translation>
    </message>
    <message>
        <source>F&amp;ilter</source>
        <translation>筛选(&amp;I)</translation>
    </message>
    <message>
        <source>Words that a line must contain</source>
        <translation>行中必须包含的词</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>F&amp;ollow new lines</source>
        <translation>跟随新行(&amp;O)</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>Nothing has been logged yet.</source>
        <translation>还没有日志。</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LossChart</name>
    <message>
        <source>Held-out loss by round</source>
        <translation>各轮留出集损失</translation>
    </message>
    <message>
        <source>round %1</source>
        <translation>第 %1 轮</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>date format: day and month</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>You joined, %1</source>
        <translation>您加入，%1</translation>
    </message>
    <message>
        <source>held-out loss %1</source>
        <translation>留出集损失 %1</translation>
    </message>
    <message>
        <source>held-out loss unknown</source>
        <translation>留出集损失未知</translation>
    </message>
    <message>
        <source>Round %1: %2, %3 took part</source>
        <translation>第 %1 轮：%2，%3参加</translation>
    </message>
    <message numerus="yes">
        <source>%n PCs</source>
        <translation>
            <numerusform>%n 台电脑</numerusform>
        </translation>
    </message>
    <message>
        <source>Round %1: %2</source>
        <translation>第 %1 轮：%2</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>还没有数值</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Held-out loss</source>
        <translation>留出集损失</translation>
    </message>
    <message>
        <source>PCs</source>
        <translation>电脑</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::MainWindow</name>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>贡献</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message numerus="yes">
        <source>%n projects</source>
        <translation>
            <numerusform>%n 个项目</numerusform>
        </translation>
    </message>
    <message>
        <source>this PC: %1</source>
        <translation>本机：%1</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NavList</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NowPage</name>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>All &amp;rules</source>
        <translation>全部规则(&amp;R)</translation>
    </message>
    <message>
        <source>Your first day</source>
        <translation>您的第一天</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>重试(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Why?</source>
        <translation>为什么？(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Join a project…</source>
        <translation>加入项目(&amp;J)…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Pauses until you resume; the arrow offers shorter pauses (Ctrl+P)</source>
        <translation>暂停到您恢复为止；箭头中有较短的暂停 (Ctrl+P)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>恢复(&amp;R)</translation>
    </message>
    <message>
        <source>Lets the rules decide again; the arrow changes the pause</source>
        <translation>重新由规则决定；箭头可更改暂停时长</translation>
    </message>
    <message>
        <source>Run &amp;now</source>
        <translation>立即运行(&amp;N)</translation>
    </message>
    <message>
        <source>Runs for an hour whatever the rules say; safety, disk and network limits still hold (Ctrl+R)</source>
        <translation>不论规则如何运行一小时；安全、磁盘和网络限制仍然有效 (Ctrl+R)</translation>
    </message>
    <message>
        <source>&amp;Show the log</source>
        <translation>查看日志(&amp;S)</translation>
    </message>
    <message>
        <source>Joined %1</source>
        <translation>已加入 %1</translation>
    </message>
    <message>
        <source>Model and text downloaded</source>
        <translation>模型和文本已下载</translation>
    </message>
    <message>
        <source>First round: training</source>
        <translation>第一轮：训练中</translation>
    </message>
    <message>
        <source>First round trained and sent</source>
        <translation>第一轮已训练并发送</translation>
    </message>
    <message>
        <source>First receipt from the project</source>
        <translation>项目发来的第一张收据</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>still to come</source>
        <translation>尚未到来</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>bytes done of bytes in all</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1, tries again at %2</source>
        <translation>%1，%2 重试</translation>
    </message>
    <message>
        <source>%1, %2 a second</source>
        <translation>%1，每秒 %2</translation>
    </message>
    <message>
        <source>Upload: %1</source>
        <translation>上传：%1</translation>
    </message>
    <message>
        <source>Download: %1</source>
        <translation>下载：%1</translation>
    </message>
    <message>
        <source>%1 est.</source>
        <translation>约 %1（估算）</translation>
    </message>
    <message>
        <source>%1 used · %2 tokens · %3</source>
        <translation>用电 %1 · %2 词元 · %3</translation>
    </message>
    <message numerus="yes">
        <source>%n rounds accepted</source>
        <translation>
            <numerusform>采纳 %n 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>No training yet today.</source>
        <translation>今天还没有训练。</translation>
    </message>
    <message>
        <source>Why it runs</source>
        <translation>为何运行</translation>
    </message>
    <message>
        <source>What stops it</source>
        <translation>为何停止</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>如何进行</translation>
    </message>
    <message>
        <source>1. You paste the link of a project and see what it takes: memory, disk, network.</source>
        <translation>1. 粘贴项目链接，查看所需的内存、磁盘和网络。</translation>
    </message>
    <message>
        <source>2. You choose when this PC may train. Nothing runs before you agree.</source>
        <translation>2. 选择这台电脑何时可以训练。在您同意之前不会运行。</translation>
    </message>
    <message>
        <source>3. While you are away it trains a round, sends the result and gets a signed receipt.</source>
        <translation>3. 您离开时，它训练一轮、发送结果，并收到签名的收据。</translation>
    </message>
    <message>
        <source>What the rules say</source>
        <translation>规则判定</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NumberBox</name>
    <message>
        <source> min</source>
        <comment>minutes, behind a number</comment>
        <translation> 分钟</translation>
    </message>
    <message>
        <source> %</source>
        <comment>percent, behind a number</comment>
        <translation> %</translation>
    </message>
    <message>
        <source> KiB/s</source>
        <comment>behind a number</comment>
        <translation> KiB/s</translation>
    </message>
    <message>
        <source> GiB</source>
        <comment>behind a number</comment>
        <translation> GiB</translation>
    </message>
    <message>
        <source> threads</source>
        <comment>behind a number</comment>
        <translation> 线程</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::OfferPage</name>
    <message>
        <source>What it takes</source>
        <translation>需要什么</translation>
    </message>
    <message>
        <source>It never reads your files, never runs code from the project, and never keeps the PC awake.</source>
        <translation>它从不读取您的文件，从不运行项目的代码，也从不阻止电脑休眠。</translation>
    </message>
    <message>
        <source>I want to &amp;take part. I can leave at any time.</source>
        <translation>我愿意参加，可随时退出。(&amp;T)</translation>
    </message>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 十亿 个参数</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 百万 个参数</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>%1 while it trains, given back at once</source>
        <translation>训练时 %1，停止即归还</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Upload</source>
        <translation>上传</translation>
    </message>
    <message>
        <source>%1 a round</source>
        <translation>每轮 %1</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>%1 a round, %2 once</source>
        <translation>每轮 %1，首次 %2</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ProgressRing</name>
    <message>
        <source>no round is running</source>
        <translation>没有进行中的轮次</translation>
    </message>
    <message>
        <source>%1 percent, %2 of %3 steps</source>
        <translation>百分之 %1，%2 / %3 步</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ReceiptDialog</name>
    <message>
        <source>This is the receipt as it was stored.</source>
        <translation>这是所保存的收据。</translation>
    </message>
    <message>
        <source>The project confirms by its signature that it received %1 steps with %2 tokens for round %3 on %4.</source>
        <translation>项目以签名确认：于 %4 收到第 %3 轮的 %1 步、%2 词元。</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>收据</translation>
    </message>
    <message>
        <source>Fingerprint (SHA-256): %1</source>
        <translation>指纹 (SHA-256)：%1</translation>
    </message>
    <message>
        <source>Signed envelope</source>
        <translation>签名信封</translation>
    </message>
    <message>
        <source>&amp;Copy the receipt</source>
        <translation>复制收据(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save the receipt…</source>
        <translation>保存收据(&amp;S)…</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>关闭(&amp;L)</translation>
    </message>
    <message>
        <source>Save the receipt</source>
        <translation>保存收据</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON 文件 (*.json)</translation>
    </message>
    <message>
        <source>The receipt was not saved to %1: %2. Choose another folder.</source>
        <translation>收据没有保存到 %1：%2。请选择其他文件夹。</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SavingDialog</name>
    <message>
        <source>Quit SunLoCo</source>
        <translation>退出 SunLoCo</translation>
    </message>
    <message>
        <source>Saving the work of this round</source>
        <translation>正在保存本轮的工作</translation>
    </message>
    <message>
        <source>Training goes on from here at the next start.</source>
        <translation>下次启动时从这里继续训练。</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>&amp;Quit without saving</source>
        <translation>不保存退出(&amp;Q)</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SettingRow</name>
    <message>
        <source>Reset: %1</source>
        <translation>重置：%1</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys and Space.</source>
        <translation>拖动，或用方向键和空格。</translation>
    </message>
    <message>
        <source>Copy day…</source>
        <translation>复制一天…</translation>
    </message>
    <message>
        <source>Back to every hour</source>
        <translation>恢复为全部时段</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>恢复默认值：%1</translation>
    </message>
    <message>
        <source>%1 to</source>
        <comment>a day of the week, copied to another</comment>
        <translation>%1 复制到</translation>
    </message>
    <message>
        <source>Monday to Friday</source>
        <translation>周一至周五</translation>
    </message>
    <message>
        <source>the whole week</source>
        <translation>整周</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Reset all…</source>
        <translation>全部重置…</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>This window</source>
        <translation>此窗口</translation>
    </message>
    <message>
        <source>Join a project…</source>
        <translation>加入项目…</translation>
    </message>
    <message>
        <source>No project yet.</source>
        <translation>还没有项目。</translation>
    </message>
    <message>
        <source>Leave…</source>
        <translation>退出…</translation>
    </message>
    <message>
        <source>Leave %1</source>
        <translation>退出 %1</translation>
    </message>
    <message>
        <source>This PC stops training for %1 and deletes its data. Rounds already accepted stay in the model.</source>
        <translation>这台电脑将停止为 %1 训练并删除其数据。已采纳的轮次保留在模型中。</translation>
    </message>
    <message>
        <source>&amp;Leave the project</source>
        <translation>退出项目(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Stay</source>
        <translation>留下(&amp;S)</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Coloured tray icon</source>
        <translation>彩色托盘图标</translation>
    </message>
    <message>
        <source>Quit SunLoCo (saves first)</source>
        <translation>退出 SunLoCo（先保存）</translation>
    </message>
    <message>
        <source>Ends training and the program; saved work goes on at the next start (Ctrl+Q)</source>
        <translation>结束训练和程序；保存的工作下次启动时继续 (Ctrl+Q)</translation>
    </message>
    <message>
        <source>Reset all settings</source>
        <translation>重置全部设置</translation>
    </message>
    <message>
        <source>All settings of this page go back to their defaults. Projects and finished work stay.</source>
        <translation>本页所有设置恢复默认值。项目和完成的工作保留。</translation>
    </message>
    <message>
        <source>&amp;Reset all settings</source>
        <translation>重置全部设置(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Keep them</source>
        <translation>保留(&amp;K)</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::StepList</name>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Step %1 of %2: %3</source>
        <translation>第 %1 / %2 步：%3</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::TrayIcon</name>
    <message>
        <source>&amp;Join a project…</source>
        <translation>加入项目(&amp;J)…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>恢复(&amp;R)</translation>
    </message>
    <message>
        <source>Run &amp;now</source>
        <translation>立即运行(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>设备(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Why?</source>
        <translation>为什么？(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Open SunLoCo</source>
        <translation>打开 SunLoCo(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>设置(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Quit (saves first)</source>
        <translation>退出（先保存）(&amp;Q)</translation>
    </message>
    <message>
        <source>%1, off</source>
        <translation>%1，已关闭</translation>
    </message>
    <message>
        <source>The device&apos;s mode was not changed</source>
        <translation>设备模式未更改</translation>
    </message>
    <message>
        <source>Stop the run you asked for</source>
        <translation>停止您要求的运行</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::VerdictModel</name>
    <message>
        <source>Asked in this order</source>
        <translation>按此顺序</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Value now</source>
        <translation>当前值</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>限值</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Changes next</source>
        <translation>下次变化</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::WeekGrid</name>
    <message>
        <source>Hours of the week</source>
        <translation>一周的时段</translation>
    </message>
    <message>
        <source>%1 %2 to %3</source>
        <translation>%1 %2 至 %3</translation>
    </message>
    <message>
        <source>%1, may run</source>
        <translation>%1，可以运行</translation>
    </message>
    <message>
        <source>%1, may not run</source>
        <translation>%1，不可运行</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::WhyPage</name>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>All rules</source>
        <translation>全部规则</translation>
    </message>
    <message>
        <source>&amp;Copy as text</source>
        <translation>复制为文本(&amp;C)</translation>
    </message>
    <message>
        <source>C&amp;hange rules…</source>
        <translation>更改规则(&amp;H)…</translation>
    </message>
    <message>
        <source>The first rule that stops decides; those below are still measured. Values at %1.</source>
        <translation>第一条要求停止的规则起决定作用；其下的规则仍在测量。数值时间 %1。</translation>
    </message>
</context>
</TS>
