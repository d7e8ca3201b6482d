import { loadForCommand } from "../command.ts";
import type { ConfigCommand } from "./config-command.ts";
import { type Explanation, explainKey, type KeyExplanation } from "./explain.ts";

/** Prints the meaning of a key, its value and the source of the value. An invalid configuration hides the value only. */
export const explainCommand: ConfigCommand = (options) => {
  const [path] = options.operands;
  if (path === undefined)
    return {
      exitCode: 2,
      output: [],
      errors: ["usage: postern config explain PATH, for example runtime.timeouts.decision"],
    };
  const result = loadForCommand({ ...options, skipSecretFiles: true });
  const explanation = explainKey(path, result.ok ? result : undefined);
  if (explanation.kind === "unknown") {
    const hint = explanation.near === undefined ? "" : ` (did you mean ${explanation.near}?)`;
    return { exitCode: 1, output: [], errors: [`${explanation.path}: is not a known key${hint}`] };
  }
  const errors = result.ok
    ? []
    : ["the value is not shown because the configuration has problems: run postern config check"];
  const output = options.isJson ? [JSON.stringify(explanation, undefined, 2)] : render(explanation);
  return { exitCode: 0, output, errors };
};

function render(explanation: Exclude<Explanation, { kind: "unknown" }>): readonly string[] {
  switch (explanation.kind) {
    case "key":
      return renderKey(explanation);
    case "section":
      return [explanation.path, `  ${explanation.description}`, ...explanation.keys.map((key) => `  ${key}`)];
    case "accepted":
      return [`${explanation.path} ${explanation.description}`];
    default:
      return explanation satisfies never;
  }
}

function renderKey(key: KeyExplanation): readonly string[] {
  const source = key.source === undefined ? undefined : [key.source.kind, key.source.name ?? ""].join(" ").trim();
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["type", key.secret ? `${key.type}, secret` : key.type],
    ["default", key.defaultValue ?? "none (required)"],
    ["follows", key.defaultFrom],
    ["environment", key.secret ? `${key.environment} or ${key.environment}_FILE` : key.environment],
    ["reload", key.reload],
    ["value", key.value],
    ["source", source],
  ];
  const shown = rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(12)} ${text}`]));
  return [key.path, `  ${key.description}`, ...shown];
}
