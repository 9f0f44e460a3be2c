const columns = String.raw`("[^"]+"|[^\s,;]+(?:,[^\s,;]+)*)`;
const instead: [RegExp, string][] = [
  [/choose the model's with --columns, or say with --meta which are no data/g, "choose below which columns are data, or labels"], [/, or choose with --columns/g, ", or the choice “left out”"],
  [new RegExp(`--meta ${columns}`, "g"), "the choice “label” for $1"], [new RegExp(`--categories ${columns}`, "g"), "the choice “categories” for $1"], [/--columns chooses others/g, "the choice “left out” leaves it out"],
  [/--threshold T/g, "a threshold T"], [/--threshold auto/g, "a threshold found for each image"], [/--size \S+x\S+/g, "a size"], [/--items/g, "“a list of items”"], [/--pairs \S+/g, "“a pair”"], [/--invert/g, "“swap on and off”"],
];

/** A message of the server in the words of the page, where it names flags of the command. */
export function plain(text: string): string {
  return instead.reduce((t, [flag, words]) => t.replace(flag, words), text);
}
