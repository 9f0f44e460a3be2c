/** What a column may be, as --column NAME=KIND of the command names it, in words. */
export const kinds: Record<string, string> = {
  bit: "yes or no", category: "categories", ordinal: "an order", count: "counts", number: "numbers", label: "a label", bands: "cut in three", split: "several answers in a cell", weight: "how many rows it stands for", unknown: "left out",
};

/** The words of the reading form, which messages name instead of flags of the command. */
export const controls = {
  threshold: "Numbers and greys become on and off", auto: "by a threshold found for each image", at: "by the threshold …", real: "not at all: they are real values", rows: "The rows are images of", size: "Bring the pictures to",
  items: "a list of items, such as a basket", pairs: "a pair: a row, and an item that it has", invert: "swap on and off",
};

const c = controls, instead: [RegExp, (...found: string[]) => string][] = [
  [/--column '\*=number' learns from the numbers as they are/g, () => `“${c.threshold}”: “${c.real}” learns from the numbers`],
  [/--column (?:"([^"]+)=(\w+)"|(\S+)=(\w+))/g, (_, quoted, kind, name, other) => `the choice “${kinds[kind ?? other] ?? kind ?? other}” for ${quoted ?? name}`],
  [/, =(\w+) /g, (_, kind) => `, the choice “${kinds[kind] ?? kind}” `],
  [/--columns chooses others/g, () => `the choice “${kinds.unknown}” leaves a column out`], [/(?:with )?--columns/g, () => `by the choice “${kinds.unknown}”`],
  [/--threshold (?:N|T)(?: |$)/g, () => `“${c.threshold}” `], [/--threshold auto/g, () => `“${c.auto}”`], [/--threshold (-?\d\S*)/g, (_, at) => `“${c.at}” with ${at}`], [/--threshold/g, () => `“${c.threshold}”`],
  [/--size (\d+x\d+) makes its rows/g, (_, size) => `${size} in “${c.rows}” makes its rows`], [/--size (\S+)/g, (_, size) => `${size} in “${c.size}”`],
  [/--items=[^\s,]+,[^\s,;]+/g, () => `“${c.pairs}”`], [/--items/g, () => `“${c.items}”`], [/--invert/g, () => `“${c.invert}”`],
  // What the page has no control for.
  [/(^|[\s(])--(?!no-|allow-|token)([a-z]+)/g, (_, before, flag) => `${before}the command's option “${flag}”`],
];

/** A message of the server in the words of the page, where it names flags of the command. */
export function plain(text: string): string {
  return instead.reduce((t, [flag, words]) => t.replace(flag, words), text);
}
