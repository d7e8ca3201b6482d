export type GuideStep =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "file"; readonly path: string; readonly content: string };

/** A file is a block without a language, after a line that ends with the file's path and a colon. */
const block = /(?:`(?<path>\/[^`\n]+)`:\n\n)?^```(?<language>\w*)\n(?<content>[^]*?)^```$/gmu;

/** A command that continues on the next line ends with a backslash or a pipe. */
const endOfCommand = /(?<!\\|\|)\n/u;

function stepsOf(groups: Readonly<Record<string, string>>): readonly GuideStep[] {
  const { path = "", language, content = "" } = groups;
  if (path !== "") return [{ kind: "file", path, content }];
  if (language !== "sh") return [];
  return content
    .split(endOfCommand)
    .filter(Boolean)
    .map((command) => ({ kind: "command", command }));
}

/** What a reader of docs/start/debian.md does between two headings, in the order of the page. */
export function guideSteps(page: string, from: string, to: string): readonly GuideStep[] {
  const [, part = ""] = page.split(from);
  const [text = ""] = part.split(to);
  return [...text.matchAll(block)].flatMap(({ groups = {} }) => stepsOf(groups));
}
