import { type Static, Type } from "typebox";
import { Check } from "typebox/value";

/** The part of a `.cpuprofile` that is read here (Chrome DevTools Protocol, Profiler.Profile). */
const Profile = Type.Object({
  nodes: Type.Array(
    Type.Object({
      id: Type.Integer(),
      children: Type.Optional(Type.Array(Type.Integer())),
      callFrame: Type.Object({
        functionName: Type.String(),
        url: Type.String(),
        lineNumber: Type.Integer(),
        columnNumber: Type.Integer(),
      }),
    }),
  ),
  samples: Type.Array(Type.Integer()),
  timeDeltas: Type.Array(Type.Number()),
});

export interface FunctionShare {
  readonly name: string;
  /** Share of the busy time spent in the function itself, 0 to 1. */
  readonly self: number;
  /** The time of the function together with everything that it called. */
  readonly total: number;
}

type Node = Static<typeof Profile>["nodes"][number];

const notWork = new Set(["(idle)", "(root)"]);

function label({ callFrame: { functionName, url, lineNumber, columnNumber } }: Node): string {
  const place = url
    .replace(/^file:\/\//, "")
    .replace(/^.*\/node_modules\//, "")
    .replace(/^.*\/(?=(services|libs)\/)/, "");
  return `${functionName === "" ? "(anonymous)" : functionName} ${place}${place === "" ? "" : `:${lineNumber + 1}:${columnNumber + 1}`}`.trim();
}

/** The most expensive functions of a profile, by their own time. Throws if the text is not a profile. */
export function summariseProfile(text: string, limit: number): readonly FunctionShare[] {
  const profile: unknown = JSON.parse(text);
  if (!Check(Profile, profile)) throw new Error("not a CPU profile");
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const [self, total] = [new Map<string, number>(), new Map<string, number>()];
  let work = 0;
  for (const [index, id] of profile.samples.entries()) {
    const node = nodes.get(id);
    const micros = profile.timeDeltas[index] ?? 0;
    if (node === undefined || notWork.has(node.callFrame.functionName)) continue;
    work += micros;
    self.set(label(node), (self.get(label(node)) ?? 0) + micros);
    const stack = new Set<string>();
    for (let at: Node | undefined = node; at !== undefined; at = nodes.get(parents.get(at.id) ?? -1))
      stack.add(label(at));
    for (const name of stack) total.set(name, (total.get(name) ?? 0) + micros);
  }
  return [...self]
    .map(([name, micros]) => ({ name, self: micros / work, total: (total.get(name) ?? 0) / work }))
    .toSorted((a, b) => b.self - a.self)
    .slice(0, limit);
}
