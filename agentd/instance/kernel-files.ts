// SPDX-License-Identifier: MIT OR Apache-2.0
// What of the file system is the kernel's own: by name, and by the kind of file system wherever it is mounted.

/** Nothing in these is anybody's work. */
export const kernelDirectories = ["/proc", "/sys", "/dev"] as const;

/** Linux's magic numbers of proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, as statfs gives them. */
export const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673,
]);
