// SPDX-License-Identifier: MIT OR Apache-2.0
// Redacts secrets in what is recorded about a process: its stderr tail, error messages, agentd's own log.

/**
 * Returns the values to redact: those that a start passed on, and those whose name looks like a secret's. Skips values
 * under 6 characters, since redacting every "1" or "true" would make texts unreadable and protect nothing. Keeps the
 * 256 longest.
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

/** `cut`: the text is the end of a longer one and may begin in the middle of a secret. */
export type Redact = (text: string, cut?: boolean) => string;

/** Makes a function that replaces each value, also as JSON or a URL encodes it; at most 64 Ki characters of each. */
export function redactor(values: readonly string[]): Redact {
  const written = new Set(values.flatMap(encodingsOf).filter((value) => value.length >= lengthMin));
  if (written.size === 0) return (text) => text;
  // Longest first: if one value is a prefix of another, the whole longer one must be replaced.
  const ordered = longestFirst([...written]);
  return (text, cut = false) => {
    const lost = cut ? cutSecretLength(text, ordered) : 0;
    let shown = lost === 0 ? text : `[redacted]${text.slice(lost)}`;
    for (const value of ordered) shown = shown.replaceAll(value, () => "[redacted]");
    return shown;
  };
}

/** The length of the longest secret's end with which the text begins. */
function cutSecretLength(text: string, values: readonly string[]): number {
  const lengths = values.map((value) => {
    let length = Math.min(value.length - 1, text.length, cutLengthMax);
    while (length >= lengthMin && !text.startsWith(value.slice(-length))) length -= 1;
    return length >= lengthMin ? length : 0;
  });
  return Math.max(...lengths);
}

// KEY only at the end of a word, so that KEYBOARD does not match.
const secretName = /KEYS?(?:[^A-Z]|$)|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/iu;
const lengthMin = 6;
/** Characters of a value's end that are recognised at the beginning of a cut text. Every length up to it is tried. */
const cutLengthMax = 1024;
const valuesMax = 256;
const valueLengthMax = 64 * 1024;

/**
 * Converts through bytes, which replaces lone surrogates: encodeURIComponent would throw on them. Adds each line of a
 * multi-line value (a private key), since those are usually printed line by line.
 */
function encodingsOf(value: string): string[] {
  const whole = Buffer.from(value.slice(0, valueLengthMax)).toString();
  const lines = whole.includes("\n") ? whole.split(/\r?\n/u).map((line) => line.trim()) : [];
  return [whole, ...lines].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
}

function longestFirst(values: readonly string[]): string[] {
  return values.toSorted((one, other) => other.length - one.length);
}
