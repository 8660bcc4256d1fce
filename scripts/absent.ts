// SPDX-License-Identifier: MIT OR Apache-2.0
/** Takes the place of a module that is imported but never used. */
export default {};
