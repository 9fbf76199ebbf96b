<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Format</name>
    <message>
        <source>s</source>
        <comment>seconds</comment>
        <translation>s</translation>
    </message>
    <message>
        <source>min</source>
        <comment>minutes</comment>
        <translation>Min.</translation>
    </message>
    <message>
        <source>h</source>
        <comment>hours</comment>
        <translation>Std.</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n Tag</numerusform>
            <numerusform>%n Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>d. MMM</translation>
    </message>
</context>
<context>
    <name>PauseMenu</name>
    <message>
        <source>15 minutes, until %1</source>
        <translation>15 Minuten, bis %1</translation>
    </message>
    <message>
        <source>30 minutes, until %1</source>
        <translation>30 Minuten, bis %1</translation>
    </message>
    <message>
        <source>1 hour, until %1</source>
        <translation>1 Stunde, bis %1</translation>
    </message>
    <message>
        <source>4 hours, until %1</source>
        <translation>4 Stunden, bis %1</translation>
    </message>
    <message>
        <source>Until tomorrow, %1 %2</source>
        <translation>Bis morgen, %1 %2</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Bis ich fortsetze</translation>
    </message>
    <message>
        <source>Until I stop it</source>
        <translation>Bis ich es anhalte</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>Starts at %1.</source>
        <translation>Beginnt um %1.</translation>
    </message>
    <message>
        <source>Starts at about %1.</source>
        <translation>Beginnt etwa um %1.</translation>
    </message>
    <message>
        <source>Starts at %1 at the earliest.</source>
        <translation>Beginnt frühestens um %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n other rules stop it too.</source>
        <translation>
            <numerusform>%n weitere Regel hält es auch an.</numerusform>
            <numerusform>%n weitere Regeln halten es auch an.</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for you to leave the PC</source>
        <translation>Wartet, bis Sie den PC verlassen</translation>
    </message>
    <message>
        <source>Paused by a rule: you are using the PC</source>
        <translation>Durch eine Regel angehalten: Sie benutzen den PC</translation>
    </message>
    <message>
        <source>Paused by a rule: input cannot be seen</source>
        <translation>Durch eine Regel angehalten: Eingaben nicht erkennbar</translation>
    </message>
    <message>
        <source>Whether you use the PC is unknown (%1), and unknown counts as in use.</source>
        <translation>Ob Sie den PC benutzen, ist unbekannt (%1), und unbekannt gilt als benutzt.</translation>
    </message>
    <message>
        <source>Last input %1 ago, %2 of quiet needed.</source>
        <translation>Letzte Eingabe vor %1, %2 Ruhe sind nötig.</translation>
    </message>
    <message>
        <source>Paused by a rule: %1 unknown</source>
        <translation>Durch eine Regel angehalten: %1 unbekannt</translation>
    </message>
    <message>
        <source>%1: %2. Unknown never counts as “go”.</source>
        <translation>%1: %2. Unbekannt gilt nie als „los“.</translation>
    </message>
    <message>
        <source>Paused by you</source>
        <translation>Von Ihnen angehalten</translation>
    </message>
    <message>
        <source>Paused by a rule: all devices are off</source>
        <translation>Durch eine Regel angehalten: alle Geräte sind aus</translation>
    </message>
    <message>
        <source>You have switched every device off in the settings.</source>
        <translation>Sie haben in den Einstellungen jedes Gerät ausgeschaltet.</translation>
    </message>
    <message>
        <source>Paused by a rule: the mode is “never”</source>
        <translation>Durch eine Regel angehalten: der Modus ist „Nie“</translation>
    </message>
    <message>
        <source>You have chosen in the settings that nothing is trained.</source>
        <translation>Sie haben in den Einstellungen gewählt, dass nichts trainiert wird.</translation>
    </message>
    <message>
        <source>Paused by a rule: power has failed</source>
        <translation>Durch eine Regel angehalten: Stromausfall</translation>
    </message>
    <message>
        <source>The UPS runs on its battery.</source>
        <translation>Die USV läuft auf ihrem Akku.</translation>
    </message>
    <message>
        <source>Paused by a rule: the battery is nearly empty</source>
        <translation>Durch eine Regel angehalten: der Akku ist fast leer</translation>
    </message>
    <message>
        <source>The battery has %1, %2 are needed.</source>
        <translation>Der Akku hat %1, %2 sind nötig.</translation>
    </message>
    <message>
        <source>Paused by a rule: the PC is going to sleep</source>
        <translation>Durch eine Regel angehalten: der PC geht in Ruhe</translation>
    </message>
    <message>
        <source>The work is saved and goes on after waking up.</source>
        <translation>Die Arbeit ist gesichert und geht nach dem Aufwachen weiter.</translation>
    </message>
    <message>
        <source>Waiting for the PC to settle</source>
        <translation>Wartet, bis der PC zur Ruhe kommt</translation>
    </message>
    <message>
        <source>Awake for %1, %2 are left to you after a login or sleep.</source>
        <translation>Seit %1 wach; nach Anmeldung oder Ruhe gehören Ihnen %2.</translation>
    </message>
    <message>
        <source>Waiting for the screen lock</source>
        <translation>Wartet auf die Bildschirmsperre</translation>
    </message>
    <message>
        <source>You have chosen to train only while the screen is locked.</source>
        <translation>Sie haben gewählt, nur bei gesperrtem Bildschirm zu trainieren.</translation>
    </message>
    <message>
        <source>Paused by a rule: the network is metered</source>
        <translation>Durch eine Regel angehalten: Netz mit Datengrenze</translation>
    </message>
    <message>
        <source>Finished work waits on the disk.</source>
        <translation>Fertige Arbeit wartet auf der Festplatte.</translation>
    </message>
    <message>
        <source>Paused by a rule: little disk space</source>
        <translation>Durch eine Regel angehalten: wenig Plattenplatz</translation>
    </message>
    <message>
        <source>%1 are free, %2 are to stay free.</source>
        <translation>%1 sind frei, %2 sollen frei bleiben.</translation>
    </message>
    <message>
        <source>Paused by a rule: disk limit reached</source>
        <translation>Durch eine Regel angehalten: Plattengrenze erreicht</translation>
    </message>
    <message>
        <source>SunLoCo uses %1 of the %2 that you allow.</source>
        <translation>SunLoCo belegt %1 von %2, die Sie erlauben.</translation>
    </message>
    <message>
        <source>Paused by a rule: the PC runs on battery</source>
        <translation>Durch eine Regel angehalten: der PC läuft auf Akku</translation>
    </message>
    <message>
        <source>You have chosen to train only on mains power.</source>
        <translation>Sie haben gewählt, nur am Netzteil zu trainieren.</translation>
    </message>
    <message>
        <source>Paused by a rule: the battery is low</source>
        <translation>Durch eine Regel angehalten: der Akku ist schwach</translation>
    </message>
    <message>
        <source>Paused by a rule: no hour is chosen</source>
        <translation>Durch eine Regel angehalten: keine Stunde gewählt</translation>
    </message>
    <message>
        <source>The week in the settings has no hour in which it may run.</source>
        <translation>Die Woche in den Einstellungen hat keine Stunde, in der es laufen darf.</translation>
    </message>
    <message>
        <source>Paused by a rule: outside the chosen hours</source>
        <translation>Durch eine Regel angehalten: außerhalb der gewählten Stunden</translation>
    </message>
    <message>
        <source>The week in the settings keeps this hour free.</source>
        <translation>Die Woche in den Einstellungen lässt diese Stunde frei.</translation>
    </message>
    <message>
        <source>Waiting: a short rest</source>
        <translation>Wartet: kurze Ruhe</translation>
    </message>
    <message>
        <source>Rested for %1 of %2 after a stop by power or disk.</source>
        <translation>Ruht seit %1 von %2 nach einem Halt durch Strom oder Platte.</translation>
    </message>
    <message>
        <source>Training slowly</source>
        <translation>Langsames Training</translation>
    </message>
    <message>
        <source>Waiting for work</source>
        <translation>Wartet auf Arbeit</translation>
    </message>
    <message>
        <source>The project has nothing to train at this moment.</source>
        <translation>Das Projekt hat gerade nichts zu trainieren.</translation>
    </message>
    <message>
        <source>Paused by a rule: %1</source>
        <translation>Durch eine Regel angehalten: %1</translation>
    </message>
    <message>
        <source>Training gently while you use the PC</source>
        <translation>Sanftes Training, während Sie am PC sind</translation>
    </message>
    <message>
        <source>The device works %1 of the time.</source>
        <translation>Das Gerät arbeitet %1 der Zeit.</translation>
    </message>
    <message>
        <source>Training while you are away</source>
        <translation>Training, während Sie weg sind</translation>
    </message>
    <message>
        <source>You have been away %1, %2 are needed.</source>
        <translation>Sie sind seit %1 weg, %2 sind nötig.</translation>
    </message>
    <message>
        <source>Runs until %1, or until you touch the PC.</source>
        <translation>Läuft bis %1 oder bis Sie den PC benutzen.</translation>
    </message>
    <message>
        <source>Runs until you touch the PC.</source>
        <translation>Läuft, bis Sie den PC benutzen.</translation>
    </message>
    <message>
        <source>Goes on when you resume.</source>
        <translation>Geht weiter, wenn Sie fortsetzen.</translation>
    </message>
    <message>
        <source>%1 are left.</source>
        <translation>Noch %1.</translation>
    </message>
    <message>
        <source>Goes on at %1.</source>
        <translation>Geht um %1 weiter.</translation>
    </message>
    <message>
        <source>Uploading</source>
        <translation>Wird hochgeladen</translation>
    </message>
    <message>
        <source>Uploading round %1</source>
        <translation>Runde %1 wird hochgeladen</translation>
    </message>
    <message>
        <source>%1 of %2 are sent.</source>
        <translation>%1 von %2 sind gesendet.</translation>
    </message>
    <message>
        <source>Done in about %1.</source>
        <translation>Fertig in etwa %1.</translation>
    </message>
    <message>
        <source>Needs you: %1</source>
        <translation>Braucht Sie: %1</translation>
    </message>
    <message>
        <source>Tries again at %1.</source>
        <translation>Versucht es um %1 wieder.</translation>
    </message>
    <message>
        <source>No project yet</source>
        <translation>Noch kein Projekt</translation>
    </message>
    <message>
        <source>This PC does not train anything.</source>
        <translation>Dieser PC trainiert nichts.</translation>
    </message>
    <message>
        <source>Join a project with the link that it gives you.</source>
        <translation>Treten Sie einem Projekt mit dessen Link bei.</translation>
    </message>
    <message>
        <source>Training (always)</source>
        <translation>Training (immer)</translation>
    </message>
    <message>
        <source>You have chosen the mode “always”; safety, disk and network limits still hold.</source>
        <translation>Sie haben den Modus „Immer“ gewählt; Grenzen für Sicherheit, Festplatte und Netz gelten weiter.</translation>
    </message>
    <message>
        <source>Runs until you change the mode.</source>
        <translation>Läuft, bis Sie den Modus ändern.</translation>
    </message>
    <message>
        <source>Training (you asked)</source>
        <translation>Training (auf Ihren Wunsch)</translation>
    </message>
    <message>
        <source>“Run now” stands above the rules; safety, disk and network limits still hold.</source>
        <translation>„Jetzt laufen“ steht über den Regeln; Grenzen für Sicherheit, Festplatte und Netz gelten weiter.</translation>
    </message>
    <message>
        <source>Runs until %1.</source>
        <translation>Läuft bis %1.</translation>
    </message>
    <message>
        <source>Runs until you stop it.</source>
        <translation>Läuft, bis Sie es anhalten.</translation>
    </message>
    <message>
        <source>Asks again at %1.</source>
        <translation>Fragt wieder um %1.</translation>
    </message>
    <message>
        <source>Waiting for the server</source>
        <translation>Wartet auf den Server</translation>
    </message>
    <message>
        <source>The project&apos;s server does not answer.</source>
        <translation>Der Server des Projekts antwortet nicht.</translation>
    </message>
    <message>
        <source>Since %1.</source>
        <translation>Seit %1.</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>The model and the text are being prepared.</source>
        <translation>Modell und Text werden vorbereitet.</translation>
    </message>
    <message>
        <source>the trainer stopped</source>
        <translation>das Training ist abgebrochen</translation>
    </message>
    <message>
        <source>the project refuses this PC</source>
        <translation>das Projekt lehnt diesen PC ab</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>die Festplatte ist voll</translation>
    </message>
    <message>
        <source>Nothing can be saved. Free some space on the disk of the data folder.</source>
        <translation>Nichts kann gesichert werden. Schaffen Sie Platz auf der Platte des Datenordners.</translation>
    </message>
    <message>
        <source>the project has changed</source>
        <translation>das Projekt hat sich geändert</translation>
    </message>
    <message>
        <source>a newer SunLoCo is needed</source>
        <translation>ein neueres SunLoCo ist nötig</translation>
    </message>
    <message>
        <source>The project speaks a newer language than this version. Install the update.</source>
        <translation>Das Projekt spricht eine neuere Sprache als diese Version. Installieren Sie die Aktualisierung.</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>As the system says</source>
        <translation>Wie das System es sagt</translation>
    </message>
    <message>
        <source>The environment&apos;s https_proxy and no_proxy decide.</source>
        <translation>https_proxy und no_proxy der Umgebung entscheiden.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Straight to the project&apos;s server.</source>
        <translation>Direkt zum Server des Projekts.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxyserver</translation>
    </message>
    <message>
        <source>Choose, or type an address such as http://proxy.home:3128.</source>
        <translation>Auswählen oder eine Adresse wie http://proxy.home:3128 eingeben.</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Immer</translation>
    </message>
    <message>
        <source>Train whatever you do. Safety, disk and network limits still hold.</source>
        <translation>Trainieren, was Sie auch tun. Grenzen für Sicherheit, Festplatte und Netz gelten weiter.</translation>
    </message>
    <message>
        <source>By the rules</source>
        <translation>Nach den Regeln</translation>
    </message>
    <message>
        <source>Train when every rule on this page allows it.</source>
        <translation>Trainieren, wenn jede Regel auf dieser Seite es erlaubt.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Do not train until you change this.</source>
        <translation>Nicht trainieren, bis Sie das ändern.</translation>
    </message>
    <message>
        <source>Whenever idle</source>
        <translation>Immer wenn frei</translation>
    </message>
    <message>
        <source>Any power, any time you are away from the keyboard for 10 minutes.</source>
        <translation>Mit jedem Strom, sobald Sie 10 Minuten nicht an der Tastatur sind.</translation>
    </message>
    <message>
        <source>Idle, at night only</source>
        <translation>Frei, nur nachts</translation>
    </message>
    <message>
        <source>Between 22:00 and 7:00, when you have been away for 10 minutes. You can draw other hours later.</source>
        <translation>Zwischen 22:00 und 7:00 Uhr, wenn Sie 10 Minuten weg sind. Andere Stunden können Sie später einzeichnen.</translation>
    </message>
    <message>
        <source>Gently, also while I work</source>
        <translation>Sanft, auch während ich arbeite</translation>
    </message>
    <message>
        <source>At full speed while you are away, at a quarter of it while you use the PC.</source>
        <translation>Mit voller Kraft, wenn Sie weg sind, mit einem Viertel, wenn Sie am PC sind.</translation>
    </message>
    <message>
        <source>Wait for another network</source>
        <translation>Auf anderes Netz warten</translation>
    </message>
    <message>
        <source>Train on; finished work waits on the disk until a network without a data limit is there.</source>
        <translation>Weiter trainieren; fertige Arbeit wartet auf der Festplatte, bis ein Netz ohne Datengrenze da ist.</translation>
    </message>
    <message>
        <source>Wait, also when it cannot be told</source>
        <translation>Warten, auch wenn unklar</translation>
    </message>
    <message>
        <source>Upload only when the system says that the network has no data limit.</source>
        <translation>Nur hochladen, wenn das System sagt, dass das Netz keine Datengrenze hat.</translation>
    </message>
    <message>
        <source>Upload all the same</source>
        <translation>Trotzdem hochladen</translation>
    </message>
    <message>
        <source>A metered network is used like any other.</source>
        <translation>Ein Netz mit Datengrenze wird wie jedes andere genutzt.</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Whether the rules below decide, or nothing but you.</source>
        <translation>Ob die Regeln unten entscheiden oder nur Sie.</translation>
    </message>
    <message>
        <source>How much may it take?</source>
        <translation>Wie viel darf es sich nehmen?</translation>
    </message>
    <message>
        <source>A starting point that sets several rules at once; each can be changed afterwards.</source>
        <translation>Ein Ausgangspunkt, der mehrere Regeln auf einmal setzt; jede lässt sich danach ändern.</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>Beim Anmelden starten</translation>
    </message>
    <message>
        <source>Starts in the tray, without a window.</source>
        <translation>Startet in der Leiste, ohne Fenster.</translation>
    </message>
    <message>
        <source>Start after no input for</source>
        <translation>Beginnen nach Ruhe von</translation>
    </message>
    <message>
        <source>Keyboard, mouse and touch count. Training stops with the first touch. While the screen is locked, one minute is enough.</source>
        <translation>Tastatur, Maus und Berührung zählen. Das Training endet mit der ersten Eingabe. Bei gesperrtem Bildschirm reicht eine Minute.</translation>
    </message>
    <message>
        <source>Also while I use the PC, at</source>
        <translation>Auch während ich arbeite, mit</translation>
    </message>
    <message>
        <source>The share of time that the graphics card or processor works while you are there.</source>
        <translation>Der Anteil der Zeit, in dem Grafikkarte oder Prozessor arbeiten, während Sie da sind.</translation>
    </message>
    <message>
        <source>Only while the screen is locked</source>
        <translation>Nur bei gesperrtem Bildschirm</translation>
    </message>
    <message>
        <source>Waits for the lock screen, however long you have been away.</source>
        <translation>Wartet auf die Bildschirmsperre, wie lange Sie auch weg sind.</translation>
    </message>
    <message>
        <source>Use the device at most</source>
        <translation>Gerät höchstens nutzen zu</translation>
    </message>
    <message>
        <source>Pauses between steps; needs no administrator rights. Less is cooler and quieter.</source>
        <translation>Pausiert zwischen Schritten; braucht keine Administratorrechte. Weniger ist kühler und leiser.</translation>
    </message>
    <message>
        <source>Only in chosen hours of the week</source>
        <translation>Nur in gewählten Stunden der Woche</translation>
    </message>
    <message>
        <source>Outside the chosen hours nothing runs.</source>
        <translation>Außerhalb der gewählten Stunden läuft nichts.</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Woche</translation>
    </message>
    <message>
        <source>Filled = may run. Hours of this PC&apos;s clock.</source>
        <translation>Gefüllt = darf laufen. Stunden nach der Uhr dieses PCs.</translation>
    </message>
    <message>
        <source>Once started, run at least</source>
        <translation>Einmal gestartet, mindestens laufen</translation>
    </message>
    <message>
        <source>Holds against small swings, such as a battery level around its limit. Your touch always stops it at once.</source>
        <translation>Gegen kleine Schwankungen, etwa einen Akkustand um seine Grenze. Ihre Eingabe hält es immer sofort an.</translation>
    </message>
    <message>
        <source>Once stopped by power or disk, rest at least</source>
        <translation>Nach einem Halt durch Strom oder Platte mindestens ruhen</translation>
    </message>
    <message>
        <source>Keeps a loose plug or a nearly full disk from starting and stopping it again and again.</source>
        <translation>Verhindert, dass ein loser Stecker oder eine fast volle Platte es immer wieder startet und anhält.</translation>
    </message>
    <message>
        <source>Also on battery</source>
        <translation>Auch im Akkubetrieb</translation>
    </message>
    <message>
        <source>Off: runs only while the PC is plugged in.</source>
        <translation>Aus: läuft nur am Netzteil.</translation>
    </message>
    <message>
        <source>On battery, stop below</source>
        <translation>Im Akkubetrieb anhalten unter</translation>
    </message>
    <message>
        <source>Below 10 % it stops in any case.</source>
        <translation>Unter 10 % hält es auf jeden Fall an.</translation>
    </message>
    <message>
        <source>On a metered network</source>
        <translation>In einem Netz mit Datengrenze</translation>
    </message>
    <message>
        <source>What happens with finished work where data costs money.</source>
        <translation>Was mit fertiger Arbeit geschieht, wo Daten Geld kosten.</translation>
    </message>
    <message>
        <source>Send finished work while paused</source>
        <translation>Fertige Arbeit auch in der Pause senden</translation>
    </message>
    <message>
        <source>Finished work is worth something only if it arrives before the round ends.</source>
        <translation>Fertige Arbeit zählt nur, wenn sie vor Rundenende ankommt.</translation>
    </message>
    <message>
        <source>Upload at most</source>
        <translation>Hochladen höchstens</translation>
    </message>
    <message>
        <source>Shared by all projects.</source>
        <translation>Für alle Projekte zusammen.</translation>
    </message>
    <message>
        <source>Download at most</source>
        <translation>Herunterladen höchstens</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>Auf der Platte frei lassen</translation>
    </message>
    <message>
        <source>Training stops while less is free.</source>
        <translation>Das Training hält an, solange weniger frei ist.</translation>
    </message>
    <message>
        <source>Take at most</source>
        <translation>Höchstens belegen</translation>
    </message>
    <message>
        <source>Everything that SunLoCo keeps: text, models, saved states.</source>
        <translation>Alles, was SunLoCo aufbewahrt: Text, Modelle, gesicherte Stände.</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Prozessor-Threads</translation>
    </message>
    <message>
        <source>Automatic leaves one core free. Takes effect with the next start of training.</source>
        <translation>Automatisch lässt einen Kern frei. Wirkt ab dem nächsten Start des Trainings.</translation>
    </message>
    <message>
        <source>Use this device</source>
        <translation>Dieses Gerät nutzen</translation>
    </message>
    <message>
        <source>A device of its own mode does not wait for the others.</source>
        <translation>Ein Gerät mit eigenem Modus wartet nicht auf die anderen.</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Battery</source>
        <translation>Akku</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Festplatte</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>Allows</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <source>Stops</source>
        <translation>Hält an</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Begrenzt</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>asked, no answer yet</source>
        <translation>gefragt, noch keine Antwort</translation>
    </message>
    <message>
        <source>nothing here can tell</source>
        <translation>hier nicht feststellbar</translation>
    </message>
    <message>
        <source>not permitted to ask</source>
        <translation>Frage nicht erlaubt</translation>
    </message>
    <message>
        <source>the last value is too old</source>
        <translation>letzter Wert ist zu alt</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>not paused</source>
        <translation>keine Pause</translation>
    </message>
    <message>
        <source>paused for a time</source>
        <translation>Pause auf Zeit</translation>
    </message>
    <message>
        <source>until you resume</source>
        <translation>bis Sie fortsetzen</translation>
    </message>
    <message>
        <source>you asked for it</source>
        <translation>auf Ihren Wunsch</translation>
    </message>
    <message>
        <source>always</source>
        <translation>immer</translation>
    </message>
    <message>
        <source>by the rules</source>
        <translation>nach den Regeln</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>all devices are off</source>
        <translation>alle Geräte sind aus</translation>
    </message>
    <message>
        <source>UPS on battery</source>
        <translation>USV auf Akku</translation>
    </message>
    <message>
        <source>mains</source>
        <translation>Netzteil</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>auf Akku</translation>
    </message>
    <message>
        <source>about to sleep</source>
        <translation>geht in Ruhe</translation>
    </message>
    <message>
        <source>awake</source>
        <translation>wach</translation>
    </message>
    <message>
        <source>locked</source>
        <translation>gesperrt</translation>
    </message>
    <message>
        <source>unlocked</source>
        <translation>nicht gesperrt</translation>
    </message>
    <message>
        <source>metered</source>
        <translation>mit Datengrenze</translation>
    </message>
    <message>
        <source>not metered</source>
        <translation>ohne Datengrenze</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>zu</translation>
    </message>
    <message>
        <source>no hour chosen</source>
        <translation>keine Stunde gewählt</translation>
    </message>
    <message>
        <source>no rest needed</source>
        <translation>keine Ruhe nötig</translation>
    </message>
    <message>
        <source>there is work</source>
        <translation>es gibt Arbeit</translation>
    </message>
    <message>
        <source>no work</source>
        <translation>keine Arbeit</translation>
    </message>
    <message>
        <source>waits for the minimum time</source>
        <translation>wartet die Mindestzeit ab</translation>
    </message>
    <message>
        <source>input unknown</source>
        <translation>Eingabe unbekannt</translation>
    </message>
    <message>
        <source>Paused by you</source>
        <translation>Von Ihnen angehalten</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Power supply</source>
        <translation>Stromversorgung</translation>
    </message>
    <message>
        <source>Sleep</source>
        <translation>Ruhezustand</translation>
    </message>
    <message>
        <source>Time since login</source>
        <translation>Zeit seit Anmeldung</translation>
    </message>
    <message>
        <source>Screen lock</source>
        <translation>Bildschirmsperre</translation>
    </message>
    <message>
        <source>Keyboard and mouse</source>
        <translation>Tastatur und Maus</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>Freier Platz</translation>
    </message>
    <message>
        <source>Disk used by SunLoCo</source>
        <translation>Platz für SunLoCo</translation>
    </message>
    <message>
        <source>Mains or battery</source>
        <translation>Netzteil oder Akku</translation>
    </message>
    <message>
        <source>Battery level</source>
        <translation>Akkustand</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>Minimum times</source>
        <translation>Mindestzeiten</translation>
    </message>
    <message>
        <source>Share of the device</source>
        <translation>Anteil des Geräts</translation>
    </message>
    <message>
        <source>Work from the project</source>
        <translation>Arbeit vom Projekt</translation>
    </message>
    <message>
        <source>Would stop</source>
        <translation>Würde anhalten</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>mit %1</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <comment>how long ago</comment>
        <translation>vor %1</translation>
    </message>
    <message>
        <source>away %1</source>
        <translation>weg seit %1</translation>
    </message>
    <message>
        <source>%1 at the earliest</source>
        <translation>frühestens %1</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>verdict: value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2, limit %3</source>
        <comment>verdict: value, limit</comment>
        <translation>%1: %2, Grenze %3</translation>
    </message>
</context>
<context>
    <name>Why</name>
    <message>
        <source>Your pause</source>
        <translation>Ihre Pause</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Sleep and lock</source>
        <translation>Ruhe und Sperre</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Benutzung</translation>
    </message>
    <message>
        <source>Network and disk</source>
        <translation>Netz und Platte</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>Project has work</source>
        <translation>Projekt hat Arbeit</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::AmountPage</name>
    <message>
        <source>How much may it take?</source>
        <translation>Wie viel darf es sich nehmen?</translation>
    </message>
    <message>
        <source>You can change this at any time. Using the PC always comes first.</source>
        <translation>Sie können das jederzeit ändern. Ihre Arbeit am PC geht immer vor.</translation>
    </message>
    <message>
        <source>Joining %1</source>
        <translation>Beitritt zu %1 läuft</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ChartFrame</name>
    <message>
        <source>Show as &amp;table…</source>
        <translation>Als &amp;Tabelle zeigen…</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>Sch&amp;ließen</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionModel</name>
    <message>
        <source>%1 billion</source>
        <translation>%1 Mrd.</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Packed, waits for the upload</source>
        <translation>Gepackt, wartet auf das Hochladen</translation>
    </message>
    <message>
        <source>Uploading</source>
        <translation>Wird hochgeladen</translation>
    </message>
    <message>
        <source>Received, counts when the round closes</source>
        <translation>Angekommen, zählt nach Rundenende</translation>
    </message>
    <message>
        <source>Accepted, weight %1</source>
        <translation>Angenommen, Gewicht %1</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>Nicht verwendet</translation>
    </message>
    <message>
        <source>Not used: %1</source>
        <translation>Nicht verwendet: %1</translation>
    </message>
    <message>
        <source>Not used: the round had closed</source>
        <translation>Nicht verwendet: Runde war schon zu Ende</translation>
    </message>
    <message>
        <source>Given up</source>
        <translation>Aufgegeben</translation>
    </message>
    <message>
        <source>Given up: %1</source>
        <translation>Aufgegeben: %1</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch keine</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <comment>first and last round of a range</comment>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>steps done of steps wanted</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 each</source>
        <translation>je: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n receipts</source>
        <translation>
            <numerusform>%n Quittung</numerusform>
            <numerusform>%n Quittungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the receipt</source>
        <translation>Quittung zeigen</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>Quittung</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionPage</name>
    <message>
        <source>%1 billion</source>
        <translation>%1 Mrd.</translation>
    </message>
    <message>
        <source>%1 million</source>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>Beitrag</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>&amp;Exportieren…</translation>
    </message>
    <message>
        <source>held-out loss, lower is better</source>
        <translation>Verlust auf Prüftext, kleiner ist besser</translation>
    </message>
    <message>
        <source>How well the model predicts unseen text</source>
        <translation>Wie gut das Modell neuen Text vorhersagt</translation>
    </message>
    <message>
        <source>Tokens trained a day</source>
        <translation>Trainierte Token pro Tag</translation>
    </message>
    <message>
        <source>Rounds accepted a day</source>
        <translation>Angenommene Runden pro Tag</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>No project yet. What this PC gives to a project is shown here.</source>
        <translation>Noch kein Projekt. Hier steht, was dieser PC zu einem Projekt beiträgt.</translation>
    </message>
    <message>
        <source>No round yet. The first is listed here as soon as its training begins.</source>
        <translation>Noch keine Runde. Die erste erscheint hier, sobald ihr Training beginnt.</translation>
    </message>
    <message>
        <source>rounds accepted</source>
        <translation>Runden angenommen</translation>
    </message>
    <message>
        <source>of %1 sent</source>
        <translation>von %1 gesendeten</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>date format: day and month</comment>
        <translation>d. MMMM</translation>
    </message>
    <message>
        <source>tokens accepted</source>
        <translation>Token angenommen</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>of a round</source>
        <translation>einer Runde</translation>
    </message>
    <message>
        <source>of round %1</source>
        <translation>der Runde %1</translation>
    </message>
    <message numerus="yes">
        <source>%n PCs took part</source>
        <translation>
            <numerusform>%n PC nahm teil</numerusform>
            <numerusform>%n PCs nahmen teil</numerusform>
        </translation>
    </message>
    <message>
        <source>used for it</source>
        <translation>dafür verbraucht</translation>
    </message>
    <message>
        <source>partly estimated</source>
        <translation>teils geschätzt</translation>
    </message>
    <message>
        <source>Export the rounds</source>
        <translation>Runden exportieren</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>The rounds were not saved to %1: %2. Choose another folder.</source>
        <translation>Die Runden wurden nicht in %1 gespeichert: %2. Wählen Sie einen anderen Ordner.</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DayBand</name>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>nothing used</source>
        <translation>nichts verbraucht</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>still to come</source>
        <translation>steht noch aus</translation>
    </message>
    <message>
        <source>%1 to %2, %3</source>
        <translation>%1 bis %2, %3</translation>
    </message>
    <message>
        <source>no training yet</source>
        <translation>noch kein Training</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DayChart</name>
    <message>
        <source>Tokens a day</source>
        <translation>Token pro Tag</translation>
    </message>
    <message>
        <source>Rounds accepted a day</source>
        <translation>Angenommene Runden pro Tag</translation>
    </message>
    <message>
        <source> M</source>
        <comment>short for million, behind a number</comment>
        <translation> Mio.</translation>
    </message>
    <message>
        <source> k</source>
        <comment>short for thousand, behind a number</comment>
        <translation> Tsd.</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>date format: day and short month</comment>
        <translation>d. MMM</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n Tag</numerusform>
            <numerusform>%n Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n rounds</source>
        <translation>
            <numerusform>%n Runde</numerusform>
            <numerusform>%n Runden</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 tokens</source>
        <translation>%1: %2 Token</translation>
    </message>
    <message>
        <source>%1 est.</source>
        <translation>%1 gesch.</translation>
    </message>
    <message>
        <source>%1: %2 tokens, %3, %4</source>
        <translation>%1: %2 Token, %3, %4</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>noch kein Wert</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
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
        <translation>SunLoCo läuft ohne Fenster weiter</translation>
    </message>
    <message>
        <source>Training goes on in the tray. Open the window again, pause or quit from the tray icon.</source>
        <translation>Das Training läuft weiter. Über das Symbol in der Leiste öffnen Sie das Fenster wieder, halten an oder beenden.</translation>
    </message>
    <message>
        <source>This desktop shows no tray icons. Training goes on; start SunLoCo again to open the window.</source>
        <translation>Diese Oberfläche zeigt keine Symbole in der Leiste. Das Training läuft weiter; starten Sie SunLoCo erneut, um das Fenster zu öffnen.</translation>
    </message>
    <message>
        <source>&amp;Go on training</source>
        <translation>&amp;Weiter trainieren</translation>
    </message>
    <message>
        <source>&amp;Quit SunLoCo</source>
        <translation>SunLoCo &amp;beenden</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DeviceCard</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Round %1 · %2 of %3 steps</source>
        <translation>Runde %1 · %2 von %3</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>no round is running</source>
        <translation>keine Runde läuft</translation>
    </message>
    <message>
        <source>Round %1</source>
        <translation>Runde %1</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n Thread</numerusform>
            <numerusform>%n Threads</numerusform>
        </translation>
    </message>
    <message>
        <source>power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>est.</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>Estimated from the processor&apos;s load; no meter could be read.</source>
        <translation>Aus der Last des Prozessors geschätzt; kein Messgerät war lesbar.</translation>
    </message>
    <message>
        <source>Read from the device&apos;s own meter.</source>
        <translation>Vom Messgerät der Hardware gelesen.</translation>
    </message>
    <message>
        <source>training loss</source>
        <translation>Trainingsverlust</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>kleiner ist besser</translation>
    </message>
    <message>
        <source>The round closes at %1.</source>
        <translation>Abgabeschluss %1 Uhr.</translation>
    </message>
    <message>
        <source>You have switched this device off.</source>
        <translation>Sie haben dieses Gerät ausgeschaltet.</translation>
    </message>
    <message>
        <source>Stopped at step %1 of %2; it goes on from there.</source>
        <translation>Angehalten bei Schritt %1 von %2; dort geht es weiter.</translation>
    </message>
    <message>
        <source>All steps done, the update is being packed.</source>
        <translation>Alle Schritte fertig, das Ergebnis wird gepackt.</translation>
    </message>
    <message>
        <source>The time left is known after a few steps.</source>
        <translation>Die Restzeit steht nach einigen Schritten fest.</translation>
    </message>
    <message>
        <source>About %1 left, then the upload.</source>
        <translation>Noch etwa %1, dann das Hochladen.</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DonePage</name>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>SunLoCo waits in the tray until the time is right.</source>
        <translation>SunLoCo wartet in der Leiste, bis die Zeit passt.</translation>
    </message>
    <message>
        <source>&amp;Start SunLoCo when I log in</source>
        <translation>SunLoCo beim Anmelden &amp;starten</translation>
    </message>
    <message>
        <source>Pause it from the tray icon whenever you like.</source>
        <translation>Anhalten können Sie es jederzeit über das Symbol in der Leiste.</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::JoinWizard</name>
    <message>
        <source>Set up SunLoCo</source>
        <translation>SunLoCo einrichten</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Join</source>
        <translation>&amp;Beitreten</translation>
    </message>
    <message>
        <source>&amp;Finish</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>What it takes</source>
        <translation>Was es braucht</translation>
    </message>
    <message>
        <source>How much</source>
        <translation>Wie viel</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LinkPage</name>
    <message>
        <source>Join a project</source>
        <translation>Einem Projekt beitreten</translation>
    </message>
    <message>
        <source>Paste the link you were given. No account, no e-mail address.</source>
        <translation>Fügen Sie den Link ein, den Sie bekommen haben. Kein Konto, keine E-Mail-Adresse.</translation>
    </message>
    <message>
        <source>Project &amp;link</source>
        <translation>Projekt-&amp;Link</translation>
    </message>
    <message>
        <source>Project link</source>
        <translation>Projekt-Link</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>&amp;Invite code (only if you have one)</source>
        <translation>E&amp;inladungscode (nur falls vorhanden)</translation>
    </message>
    <message>
        <source>Invite code</source>
        <translation>Einladungscode</translation>
    </message>
    <message>
        <source>Check of the link</source>
        <translation>Prüfung des Links</translation>
    </message>
    <message>
        <source>Checking the link</source>
        <translation>Der Link wird geprüft</translation>
    </message>
    <message>
        <source>Asking the server for its signed description.</source>
        <translation>Der Server wird nach seiner signierten Beschreibung gefragt.</translation>
    </message>
    <message>
        <source>This link cannot be used</source>
        <translation>Dieser Link ist nicht verwendbar</translation>
    </message>
    <message>
        <source>Fingerprint %1, checked before anything else was loaded.</source>
        <translation>Fingerabdruck %1, geprüft, bevor etwas anderes geladen wurde.</translation>
    </message>
    <message>
        <source>The server uses its own certificate; its key is the one named in the link.</source>
        <translation>Der Server nutzt ein eigenes Zertifikat; sein Schlüssel ist der im Link genannte.</translation>
    </message>
    <message>
        <source>This project takes part by invitation: fill in your invite code.</source>
        <translation>Dieses Projekt lädt ein: Tragen Sie Ihren Einladungscode ein.</translation>
    </message>
    <message>
        <source>Link and server belong together.</source>
        <translation>Link und Server gehören zusammen.</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LogPage</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>&amp;Copy shown lines</source>
        <translation>Gezeigte Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>F&amp;ilter</source>
        <translation>F&amp;ilter</translation>
    </message>
    <message>
        <source>Words that a line must contain</source>
        <translation>Wörter, die eine Zeile enthalten muss</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>F&amp;ollow new lines</source>
        <translation>Neuen Zeilen f&amp;olgen</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>Protokollzeilen</translation>
    </message>
    <message>
        <source>Nothing has been logged yet.</source>
        <translation>Noch nichts protokolliert.</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 Zeilen</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 von %2 Zeilen</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LossChart</name>
    <message>
        <source>Held-out loss by round</source>
        <translation>Verlust auf Prüftext nach Runde</translation>
    </message>
    <message>
        <source>round %1</source>
        <translation>Runde %1</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>date format: day and month</comment>
        <translation>d. MMMM</translation>
    </message>
    <message>
        <source>You joined, %1</source>
        <translation>Ihr Beitritt, %1</translation>
    </message>
    <message>
        <source>held-out loss %1</source>
        <translation>Verlust auf Prüftext %1</translation>
    </message>
    <message>
        <source>held-out loss unknown</source>
        <translation>Verlust auf Prüftext unbekannt</translation>
    </message>
    <message>
        <source>Round %1: %2, %3 took part</source>
        <translation>Runde %1: %2, beteiligt: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n PCs</source>
        <translation>
            <numerusform>%n PC</numerusform>
            <numerusform>%n PCs</numerusform>
        </translation>
    </message>
    <message>
        <source>Round %1: %2</source>
        <translation>Runde %1: %2</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>noch kein Wert</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>Held-out loss</source>
        <translation>Verlust auf Prüftext</translation>
    </message>
    <message>
        <source>PCs</source>
        <translation>PCs</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::MainWindow</name>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Begründung</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>Beitrag</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message numerus="yes">
        <source>%n projects</source>
        <translation>
            <numerusform>%n Projekt</numerusform>
            <numerusform>%n Projekte</numerusform>
        </translation>
    </message>
    <message>
        <source>this PC: %1</source>
        <translation>dieser PC: %1</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NavList</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NowPage</name>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>All &amp;rules</source>
        <translation>Alle &amp;Regeln</translation>
    </message>
    <message>
        <source>Your first day</source>
        <translation>Ihr erster Tag</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>&amp;Erneut versuchen</translation>
    </message>
    <message>
        <source>&amp;Why?</source>
        <translation>&amp;Warum?</translation>
    </message>
    <message>
        <source>&amp;Join a project…</source>
        <translation>Projekt &amp;beitreten…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Pauses until you resume; the arrow offers shorter pauses (Ctrl+P)</source>
        <translation>Hält an, bis Sie fortsetzen; der Pfeil bietet kürzere Pausen (Strg+P)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Lets the rules decide again; the arrow changes the pause</source>
        <translation>Lässt wieder die Regeln entscheiden; der Pfeil ändert die Pause</translation>
    </message>
    <message>
        <source>Run &amp;now</source>
        <translation>&amp;Jetzt laufen</translation>
    </message>
    <message>
        <source>Runs for an hour whatever the rules say; safety, disk and network limits still hold (Ctrl+R)</source>
        <translation>Läuft eine Stunde, was die Regeln auch sagen; Grenzen für Sicherheit, Festplatte und Netz gelten weiter (Strg+R)</translation>
    </message>
    <message>
        <source>&amp;Show the log</source>
        <translation>&amp;Protokoll zeigen</translation>
    </message>
    <message>
        <source>Joined %1</source>
        <translation>%1 beigetreten</translation>
    </message>
    <message>
        <source>Model and text downloaded</source>
        <translation>Modell und Text heruntergeladen</translation>
    </message>
    <message>
        <source>First round: training</source>
        <translation>Erste Runde: Training</translation>
    </message>
    <message>
        <source>First round trained and sent</source>
        <translation>Erste Runde trainiert und gesendet</translation>
    </message>
    <message>
        <source>First receipt from the project</source>
        <translation>Erste Quittung vom Projekt</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>still to come</source>
        <translation>steht noch aus</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>bytes done of bytes in all</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1, tries again at %2</source>
        <translation>%1, neuer Versuch um %2</translation>
    </message>
    <message>
        <source>%1, %2 a second</source>
        <translation>%1, %2 pro Sekunde</translation>
    </message>
    <message>
        <source>Upload: %1</source>
        <translation>Hochladen: %1</translation>
    </message>
    <message>
        <source>Download: %1</source>
        <translation>Herunterladen: %1</translation>
    </message>
    <message>
        <source>%1 est.</source>
        <translation>%1 gesch.</translation>
    </message>
    <message>
        <source>%1 used · %2 tokens · %3</source>
        <translation>%1 verbraucht · %2 Token · %3</translation>
    </message>
    <message numerus="yes">
        <source>%n rounds accepted</source>
        <translation>
            <numerusform>%n Runde angenommen</numerusform>
            <numerusform>%n Runden angenommen</numerusform>
        </translation>
    </message>
    <message>
        <source>No training yet today.</source>
        <translation>Heute noch kein Training.</translation>
    </message>
    <message>
        <source>Why it runs</source>
        <translation>Warum es läuft</translation>
    </message>
    <message>
        <source>What stops it</source>
        <translation>Was es aufhält</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>So geht es</translation>
    </message>
    <message>
        <source>1. You paste the link of a project and see what it takes: memory, disk, network.</source>
        <translation>1. Sie fügen den Link eines Projekts ein und sehen, was es braucht: Speicher, Festplatte, Netz.</translation>
    </message>
    <message>
        <source>2. You choose when this PC may train. Nothing runs before you agree.</source>
        <translation>2. Sie wählen, wann dieser PC trainieren darf. Nichts läuft, bevor Sie zustimmen.</translation>
    </message>
    <message>
        <source>3. While you are away it trains a round, sends the result and gets a signed receipt.</source>
        <translation>3. Während Sie weg sind, trainiert er eine Runde, sendet das Ergebnis und bekommt eine signierte Quittung.</translation>
    </message>
    <message>
        <source>What the rules say</source>
        <translation>Was die Regeln sagen</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NumberBox</name>
    <message>
        <source> min</source>
        <comment>minutes, behind a number</comment>
        <translation> Min.</translation>
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
        <translation> Threads</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Ohne Grenze</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::OfferPage</name>
    <message>
        <source>What it takes</source>
        <translation>Was es braucht</translation>
    </message>
    <message>
        <source>It never reads your files, never runs code from the project, and never keeps the PC awake.</source>
        <translation>Es liest nie Ihre Dateien, führt nie Code des Projekts aus und hält den PC nie wach.</translation>
    </message>
    <message>
        <source>I want to &amp;take part. I can leave at any time.</source>
        <translation>Ich möchte &amp;teilnehmen. Ich kann jederzeit gehen.</translation>
    </message>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 Mrd. Parameter</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 Mio. Parameter</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>%1 while it trains, given back at once</source>
        <translation>%1 beim Training, sofort wieder frei</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Festplatte</translation>
    </message>
    <message>
        <source>Upload</source>
        <translation>Hochladen</translation>
    </message>
    <message>
        <source>%1 a round</source>
        <translation>%1 pro Runde</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>%1 a round, %2 once</source>
        <translation>%1 pro Runde, %2 einmalig</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ProgressRing</name>
    <message>
        <source>no round is running</source>
        <translation>keine Runde läuft</translation>
    </message>
    <message>
        <source>%1 percent, %2 of %3 steps</source>
        <translation>%1 Prozent, %2 von %3 Schritten</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ReceiptDialog</name>
    <message>
        <source>This is the receipt as it was stored.</source>
        <translation>Dies ist die Quittung, wie sie gespeichert wurde.</translation>
    </message>
    <message>
        <source>The project confirms by its signature that it received %1 steps with %2 tokens for round %3 on %4.</source>
        <translation>Das Projekt bestätigt mit seiner Unterschrift, dass es %1 Schritte mit %2 Token für Runde %3 am %4 erhalten hat.</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>Quittung</translation>
    </message>
    <message>
        <source>Fingerprint (SHA-256): %1</source>
        <translation>Fingerabdruck (SHA-256): %1</translation>
    </message>
    <message>
        <source>Signed envelope</source>
        <translation>Signierter Umschlag</translation>
    </message>
    <message>
        <source>&amp;Copy the receipt</source>
        <translation>Quittung &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Save the receipt…</source>
        <translation>Quittung &amp;speichern…</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>Sch&amp;ließen</translation>
    </message>
    <message>
        <source>Save the receipt</source>
        <translation>Quittung speichern</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
        <source>The receipt was not saved to %1: %2. Choose another folder.</source>
        <translation>Die Quittung wurde nicht in %1 gespeichert: %2. Wählen Sie einen anderen Ordner.</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SavingDialog</name>
    <message>
        <source>Quit SunLoCo</source>
        <translation>SunLoCo beenden</translation>
    </message>
    <message>
        <source>Saving the work of this round</source>
        <translation>Die Arbeit dieser Runde wird gesichert</translation>
    </message>
    <message>
        <source>Training goes on from here at the next start.</source>
        <translation>Beim nächsten Start geht das Training von hier weiter.</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <source>&amp;Quit without saving</source>
        <translation>&amp;Ohne Sichern beenden</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SettingRow</name>
    <message>
        <source>Reset: %1</source>
        <translation>Zurücksetzen: %1</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys and Space.</source>
        <translation>Ziehen, oder Pfeiltasten und Leertaste.</translation>
    </message>
    <message>
        <source>Copy day…</source>
        <translation>Tag kopieren…</translation>
    </message>
    <message>
        <source>Back to every hour</source>
        <translation>Zurück auf alle Stunden</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>Zurück auf den Standard: %1</translation>
    </message>
    <message>
        <source>%1 to</source>
        <comment>a day of the week, copied to another</comment>
        <translation>%1 nach</translation>
    </message>
    <message>
        <source>Monday to Friday</source>
        <translation>Montag bis Freitag</translation>
    </message>
    <message>
        <source>the whole week</source>
        <translation>die ganze Woche</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Reset all…</source>
        <translation>Alles zurücksetzen…</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>This window</source>
        <translation>Dieses Fenster</translation>
    </message>
    <message>
        <source>Join a project…</source>
        <translation>Projekt beitreten…</translation>
    </message>
    <message>
        <source>No project yet.</source>
        <translation>Noch kein Projekt.</translation>
    </message>
    <message>
        <source>Leave…</source>
        <translation>Verlassen…</translation>
    </message>
    <message>
        <source>Leave %1</source>
        <translation>%1 verlassen</translation>
    </message>
    <message>
        <source>This PC stops training for %1 and deletes its data. Rounds already accepted stay in the model.</source>
        <translation>Dieser PC trainiert nicht mehr für %1 und löscht dessen Daten. Angenommene Runden bleiben im Modell.</translation>
    </message>
    <message>
        <source>&amp;Leave the project</source>
        <translation>Projekt &amp;verlassen</translation>
    </message>
    <message>
        <source>&amp;Stay</source>
        <translation>&amp;Bleiben</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Coloured tray icon</source>
        <translation>Farbiges Symbol in der Leiste</translation>
    </message>
    <message>
        <source>Quit SunLoCo (saves first)</source>
        <translation>SunLoCo beenden (sichert vorher)</translation>
    </message>
    <message>
        <source>Ends training and the program; saved work goes on at the next start (Ctrl+Q)</source>
        <translation>Beendet Training und Programm; gesicherte Arbeit geht beim nächsten Start weiter (Strg+Q)</translation>
    </message>
    <message>
        <source>Reset all settings</source>
        <translation>Alle Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>All settings of this page go back to their defaults. Projects and finished work stay.</source>
        <translation>Alle Einstellungen dieser Seite gehen auf ihren Standard zurück. Projekte und fertige Arbeit bleiben.</translation>
    </message>
    <message>
        <source>&amp;Reset all settings</source>
        <translation>Alle &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Keep them</source>
        <translation>&amp;Behalten</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::StepList</name>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Step %1 of %2: %3</source>
        <translation>Schritt %1 von %2: %3</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::TrayIcon</name>
    <message>
        <source>&amp;Join a project…</source>
        <translation>Projekt &amp;beitreten…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Run &amp;now</source>
        <translation>&amp;Jetzt laufen</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>&amp;Geräte</translation>
    </message>
    <message>
        <source>&amp;Why?</source>
        <translation>&amp;Warum?</translation>
    </message>
    <message>
        <source>&amp;Open SunLoCo</source>
        <translation>SunLoCo ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>&amp;Quit (saves first)</source>
        <translation>&amp;Beenden (sichert vorher)</translation>
    </message>
    <message>
        <source>%1, off</source>
        <translation>%1, aus</translation>
    </message>
    <message>
        <source>The device&apos;s mode was not changed</source>
        <translation>Der Modus des Geräts wurde nicht geändert</translation>
    </message>
    <message>
        <source>Stop the run you asked for</source>
        <translation>Verlangten Lauf anhalten</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::VerdictModel</name>
    <message>
        <source>Asked in this order</source>
        <translation>Der Reihe nach</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Value now</source>
        <translation>Wert jetzt</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>Changes next</source>
        <translation>Ändert sich</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::WeekGrid</name>
    <message>
        <source>Hours of the week</source>
        <translation>Stunden der Woche</translation>
    </message>
    <message>
        <source>%1 %2 to %3</source>
        <translation>%1 %2 bis %3</translation>
    </message>
    <message>
        <source>%1, may run</source>
        <translation>%1, darf laufen</translation>
    </message>
    <message>
        <source>%1, may not run</source>
        <translation>%1, darf nicht laufen</translation>
    </message>
</context>
<context>
    <name>sunloco::ui::WhyPage</name>
    <message>
        <source>Why</source>
        <translation>Begründung</translation>
    </message>
    <message>
        <source>All rules</source>
        <translation>Alle Regeln</translation>
    </message>
    <message>
        <source>&amp;Copy as text</source>
        <translation>Als Text &amp;kopieren</translation>
    </message>
    <message>
        <source>C&amp;hange rules…</source>
        <translation>Regeln &amp;ändern…</translation>
    </message>
    <message>
        <source>The first rule that stops decides; those below are still measured. Values at %1.</source>
        <translation>Die erste Regel, die anhält, entscheidet; die darunter werden weiter gemessen. Werte von %1.</translation>
    </message>
</context>
</TS>
