// SPDX-License-Identifier: MIT OR Apache-2.0
// Keeps secrets out of what is written down about a process: its stderr tail, error messages, agentd's own log.

/**
 * Values that must not be shown: those a start passed on, and those under a name that looks like a secret's. Values
 * under 6 characters are left out, since hiding every "1" or "true" would make texts unreadable and protect nothing; of
 * the rest, the longest 256, and of each of them at most 64 KiB.
 */
export function secretValues(
  environment: Readonly<Record<string, string | undefined>>,
  passed: Readonly<Record<string, string>>,
): readonly string[] {
  const found = new Set(Object.values(passed));
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && secretName.test(name)) found.add(value);
  }
  return longestFirst([...found].filter((value) => value.length >= lengthMin)).slice(0, valuesMax);
}

/** `cut`: the text is the end of a longer one, and may begin within a secret. */
export type Redact = (text: string, cut?: boolean) => string;

/** Replaces each value wherever it stands, also as it stands in JSON or in a URL. */
export function redactor(values: readonly string[]): Redact {
  const written = new Set(values.flatMap(encodingsOf).filter((value) => value.length >= lengthMin));
  if (written.size === 0) return (text) => text;
  // Longest first: where one value begins another, the whole of the longer one must go.
  const ordered = longestFirst([...written]);
  return (text, cut = false) => {
    const lost = cut ? cutSecretLength(text, ordered) : 0;
    let shown = lost === 0 ? text : `[redacted]${text.slice(lost)}`;
    for (const value of ordered) shown = shown.replaceAll(value, () => "[redacted]");
    return shown;
  };
}

/** How much of the text's beginning is the end of a value whose own beginning is not there; the most, where several fit. */
function cutSecretLength(text: string, values: readonly string[]): number {
  const lengths = values.map((value) => {
    let length = Math.min(value.length - 1, text.length, cutLengthMax);
    while (length >= lengthMin && !text.startsWith(value.slice(-length))) length -= 1;
    return length >= lengthMin ? length : 0;
  });
  return Math.max(...lengths);
}

// KEY at the end of a word alone: a KEYBOARD is none.
const secretName = /KEYS?(?:[^A-Z]|$)|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/iu;
const lengthMin = 6;
/** Every length is tried: of a longer value, this much of its end is known again. */
const cutLengthMax = 1024;
const valuesMax = 256;
const valueLengthMax = 64 * 1024;

/** Through bytes, as a process would write it: without lone surrogates, which no URL can hold. A value of several lines (a private key) is most often shown line by line. */
function encodingsOf(value: string): string[] {
  const whole = Buffer.from(value.slice(0, valueLengthMax)).toString();
  const lines = whole.includes("\n") ? whole.split(/\r?\n/u).map((line) => line.trim()) : [];
  return [whole, ...lines].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
}

function longestFirst(values: readonly string[]): string[] {
  return values.toSorted((one, other) => other.length - one.length);
}
