// SPDX-License-Identifier: MIT OR Apache-2.0
import type { topic as topicOfVocabulary } from "../../agentd/vocabulary/entries.ts";

// The vocabulary is imported as types alone (its schemas must not load with the command line); the compiler holds the
// two to the same text.
export const topic: typeof topicOfVocabulary = "agent.session.updated";
