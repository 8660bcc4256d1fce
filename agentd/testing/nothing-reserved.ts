// SPDX-License-Identifier: MIT OR Apache-2.0
import { Reserved } from "../instance/reserved.ts";

export const nothingReserved = new Reserved({ directories: [], open: [], files: [] });
