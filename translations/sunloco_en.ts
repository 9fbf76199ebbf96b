<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Format</name>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message numerus="yes">
        <source>%n other rules stop it too.</source>
        <translation>
            <numerusform>%n other rule stops it too.</numerusform>
            <numerusform>%n other rules stop it too.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionModel</name>
    <message numerus="yes">
        <source>%n receipts</source>
        <translation>
            <numerusform>%n receipt</numerusform>
            <numerusform>%n receipts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::ContributionPage</name>
    <message numerus="yes">
        <source>%n PCs took part</source>
        <translation>
            <numerusform>%n PC took part</numerusform>
            <numerusform>%n PCs took part</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DayChart</name>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rounds</source>
        <translation>
            <numerusform>%n round</numerusform>
            <numerusform>%n rounds</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::DeviceCard</name>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::LossChart</name>
    <message numerus="yes">
        <source>%n PCs</source>
        <translation>
            <numerusform>%n PC</numerusform>
            <numerusform>%n PCs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::MainWindow</name>
    <message numerus="yes">
        <source>%n projects</source>
        <translation>
            <numerusform>%n project</numerusform>
            <numerusform>%n projects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sunloco::ui::NowPage</name>
    <message numerus="yes">
        <source>%n rounds accepted</source>
        <translation>
            <numerusform>%n round accepted</numerusform>
            <numerusform>%n rounds accepted</numerusform>
        </translation>
    </message>
</context>
</TS>
