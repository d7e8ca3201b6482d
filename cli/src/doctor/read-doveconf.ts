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

const head = /^(\S+)\s*(.*?)\s*\{$/u;
const setting = /^([^\s=]+)\s*=\s*(.*)$/u;

/** Puts a line into the innermost of the open blocks, which it may open or close. */
function readLine(line: string, open: OpenBlock[]): void {
  const inner = open.at(-1);
  const block = head.exec(line);
  const pair = setting.exec(line);
  if (block !== null) {
    const next = opened(block[1] ?? "", block[2] ?? "");
    inner?.blocks.push(next);
    open.push(next);
  } else if (line === "}" && open.length > 1) open.pop();
  else if (pair !== null) inner?.settings.set(pair[1] ?? "", pair[2] ?? "");
}

/** Reads what `doveconf -n` prints. Lines of another form are skipped. */
export function readDoveconf(text: string): DovecotBlock {
  const whole = opened("", "");
  const open: OpenBlock[] = [whole];
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (!line.startsWith("#")) readLine(line, open);
  }
  return whole;
}
