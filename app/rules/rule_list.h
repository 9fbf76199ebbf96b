// SPDX-License-Identifier: Apache-2.0
// The rules in the order in which they are asked and shown. Included several times with other meanings of SUNLOCO_RULE, hence no guard.
// A new rule is one line here and one file rule_<code>.cpp that defines `Verdict rule<Name>(const RuleContext&)`.
//
// SUNLOCO_RULE(Name, "code", group, what it governs, what a mode "always" or "run now" does to it)
SUNLOCO_RULE(UserPause, "user_pause", Pause, Run, Stands)
SUNLOCO_RULE(Mode, "mode", Pause, Run, Stands)
SUNLOCO_RULE(PowerSafety, "power_safety", Safety, Run, Stands)
SUNLOCO_RULE(Sleep, "sleep", SleepLock, Run, Stands)
SUNLOCO_RULE(StartGrace, "start_grace", SleepLock, Run, Yields)
SUNLOCO_RULE(SessionLock, "session_lock", SleepLock, Run, Yields)
SUNLOCO_RULE(UserIdle, "user_idle", InUse, Run, Yields)
SUNLOCO_RULE(MeteredNetwork, "metered_network", NetworkDisk, Upload, Stands)
SUNLOCO_RULE(DiskFloor, "disk_floor", NetworkDisk, Run, Stands)
SUNLOCO_RULE(DiskQuota, "disk_quota", NetworkDisk, Run, Stands)
SUNLOCO_RULE(Battery, "battery", Energy, Run, Yields)
SUNLOCO_RULE(BatteryLevel, "battery_level", Energy, Run, Yields)
SUNLOCO_RULE(Schedule, "schedule", Energy, Run, Yields)
SUNLOCO_RULE(MinimumTimes, "minimum_times", Energy, Run, Yields)
SUNLOCO_RULE(Throttle, "throttle", Energy, Run, Stands)
SUNLOCO_RULE(HasWork, "has_work", Work, Run, Stands)
