/** The words of the reading form, which messages name instead of flags of the command. */
export const controls = {
  threshold: "Numbers and greys become on and off", auto: "by a threshold found for each image", at: "by the threshold …", real: "not at all: they are real values", rows: "The rows are images of", size: "Bring the pictures to",
  items: "a list of items, such as a basket", pairs: "a pair: a row, and an item that it has", invert: "swap on and off", label: "label", categories: "categories", out: "left out",
};

const columns = String.raw`((?:"[^"]+"|[^\s,;"]+)(?:,(?:"[^"]+"|[^\s,;"]+))*)`, c = controls;
const instead: [RegExp, string][] = [
  [new RegExp(`(--categories ${columns}.*?)--columns chooses others`, "g"), `$1the choice “${c.out}” leaves out $2`],
  [/--column '\*=number' learns from the numbers as they are/g, `“${c.threshold}”: “${c.real}” learns from the numbers`],
  [/choose the model's with --columns, or say with --meta which are no data/g, "choose below which columns are data, or labels"], [/, or choose with --columns/g, `, or the choice “${c.out}”`],
  [/--meta NAME keeps a column as a label/g, `the choice “${c.label}” keeps a column as a label`], [/--categories NAME,\.\.\. makes/g, `the choice “${c.categories}” makes`],
  [/as a label with --meta/g, `as a “${c.label}”`], [/--columns chooses others/g, `the choice “${c.out}” leaves a column out`], [/(?:with )?--columns/g, `by the choices “data” and “${c.out}”`],
  [/take it as unknown \(--missing [^;]*?\), or/g, "leave the cell empty if it is not known, or"], [/--column (?:"([^"]+)=label"|(\S+)=label)/g, `the choice “${c.label}” for $1$2`], [/--column (?:"([^"]+)=category"|(\S+)=category)/g, `the choice “${c.categories}” for $1$2`],
  [/, =category /g, `, the choice “${c.categories}” `],
  [new RegExp(`--meta ${columns}`, "g"), `the choice “${c.label}” for $1`], [new RegExp(`--categories ${columns}`, "g"), `the choice “${c.categories}” for $1`],
  [/--threshold N instead of auto, or --size HxW if the rows are images/g, `“${c.at}” instead, or a size in “${c.rows}”`], [/--threshold N instead of auto/g, `“${c.at}” instead`],
  [/--threshold N /g, `“${c.threshold}” `], [/--threshold T/g, `a threshold T in “${c.threshold}”`], [/--threshold auto/g, `“${c.auto}”`], [/--threshold (-?\d\S*)/g, `“${c.at}” with $1`], [/--threshold/g, `a threshold in “${c.threshold}”`],
  [/--size (\d+x\d+)( makes its rows)/g, `$1 in “${c.rows}”$2`], [/with --size HxW/g, `by a size in “${c.rows}”`], [/--size (\d+x\d+)/g, `$1 in “${c.size}”`],
  [/--items=[^\s,]+,[^\s,;]+/g, `“${c.pairs}”`], [/--items/g, `“${c.items}”`], [/--invert/g, `“${c.invert}”`],
  // What the page has no control for.
  [/(^|[\s(])--(?!no-|allow-|token)([a-z]+)/g, "$1the command's option “$2”"],
];

/** A message of the server in the words of the page, where it names flags of the command. */
export function plain(text: string): string {
  return instead.reduce((t, [flag, words]) => t.replace(flag, words), text);
}
