import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guideSteps } from "./guide-commands.ts";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/start/debian.md"), "utf8");
const steps = readFileSync(join(root, "tools/package/test-steps.sh"), "utf8");

/** Words of a command; the line breaks of a long one do not count. */
const words = (text: string): string =>
  text
    .replaceAll(/\\\n\s*/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

/** Commands and files between two headings of a page. */
const textsOf = (page: string, from: string, to: string): readonly string[] =>
  guideSteps(page, from, to).map((step) => words(step.kind === "file" ? step.content : step.command));

const missing = (texts: readonly string[]): readonly string[] => texts.filter((text) => !words(steps).includes(text));

test("make test-package runs each command of the guide, from the configuration to the first login", () => {
  const texts = textsOf(guide, "\n## Configure\n", "\n## Operate\n");
  expect(texts.length).toBeGreaterThan(10);
  expect(missing(texts)).toEqual([]);
});

test("it changes from one process to five services by the commands of the page about shapes", () => {
  const page = readFileSync(join(root, "docs/operate/shapes.md"), "utf8");
  // The throw-away root contains NATS and reaches no mirror.
  const [installation, ...texts] = textsOf(page, "\n### Change to five services on Debian\n", "\nThe units are then");
  expect(installation).toBe("apt-get install nats-server");
  expect(texts.length).toBeGreaterThan(5);
  expect(missing(texts)).toEqual([]);
});

test("commands may continue on the next line, and files have a path", () => {
  const page =
    "# A\n```sh\none \\\n  more |\n  end\ntwo\n```\nWrite `/etc/x`:\n\n```\ny = 1\n```\n```\nno\n```\n## B\n```sh\nz\n```\n";
  expect(guideSteps(page, "# A\n", "## B\n")).toEqual([
    { kind: "command", command: "one \\\n  more |\n  end" },
    { kind: "command", command: "two" },
    { kind: "file", path: "/etc/x", content: "y = 1\n" },
  ]);
});
