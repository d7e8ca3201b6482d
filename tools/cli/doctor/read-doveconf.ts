/** A block of Dovecot's configuration, such as `passdb` in 2.3 or `passdb lua` in 2.4. */
export interface DovecotBlock {
  /** First word of its head; empty for the whole configuration. */
  readonly kind: string;
  /** The rest of its head. */
  readonly name: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly blocks: readonly DovecotBlock[];
}

interface OpenBlock extends DovecotBlock {
  readonly settings: Map<string, string>;
  readonly blocks: DovecotBlock[];
}

const opened = (kind: string, name: string): OpenBlock => ({ kind, name, settings: new Map(), blocks: [] });

const head = /^(?<kind>\S+)\s*(?<name>.*?)\s*\{$/u;
const setting = /^(?<key>[^\s=]+)\s*=\s*(?<value>.*)$/u;

/** Reads what `doveconf -n` prints. Lines of another form are skipped. */
export function readDoveconf(text: string): DovecotBlock {
  const whole = opened("", "");
  const path: OpenBlock[] = [whole];
  for (const line of text.split("\n").map((one) => one.trim())) {
    const inner = path.at(-1) ?? whole;
    const block = line.startsWith("#") ? undefined : head.exec(line)?.groups;
    const value = line.startsWith("#") ? undefined : setting.exec(line)?.groups;
    if (block !== undefined) {
      const next = opened(block["kind"] ?? "", block["name"] ?? "");
      inner.blocks.push(next);
      path.push(next);
    } else if (line === "}" && path.length > 1) path.pop();
    else if (value !== undefined) inner.settings.set(value["key"] ?? "", value["value"] ?? "");
  }
  return whole;
}
