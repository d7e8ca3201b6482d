import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Check, type Finding, findingsOf } from "./finding.ts";
import { type DovecotBlock, readDoveconf } from "./read-doveconf.ts";

/** Where Dovecot's configuration comes from: `doveconf -n` on this machine, or a file with what it printed on another. */
export type DovecotSource = { readonly command: "doveconf" } | { readonly file: string };

const { problem, warning } = findingsOf("dovecot");
const guide = "see Connect Dovecot in the installation guide";

const isYes = (value: string | undefined): boolean => /^(?:yes|y|1|true)$/iu.test(value ?? "");

/** The password databases of Dovecot, in its order; 2.3 also has them inside `protocol`. */
function passdbs({ kind, blocks }: DovecotBlock): readonly DovecotBlock[] {
  return blocks
    .flatMap((block) => (block.kind === "passdb" ? [block] : passdbs(block)))
    .filter(() => kind !== "passdb");
}

const driverOf = ({ name, settings }: DovecotBlock): string =>
  settings.get("driver") ?? settings.get("passdb_driver") ?? name;

/** 2.3 has `args = file=/etc/dovecot/postern.lua`, 2.4 `lua_file`. Another script is the site's own. */
function asksPostern(passdb: DovecotBlock): boolean {
  const { settings } = passdb;
  const script = settings.get("lua_file") ?? settings.get("passdb_lua_file") ?? settings.get("args") ?? "";
  return driverOf(passdb) === "lua" && /postern/iu.test(script);
}

const tokenMechanisms = new Set(["oauthbearer", "xoauth2"]);

/** Whether the passdb only refuses users, or serves only access tokens, which Dovecot validates itself. */
function acceptsNoPassword(passdb: DovecotBlock): boolean {
  const { settings } = passdb;
  const mechanisms = settings.get("mechanisms") ?? settings.get("mechanisms_filter") ?? "";
  const listed = mechanisms.toLowerCase().split(/\s+/u).filter(Boolean);
  return (
    isYes(settings.get("deny")) ||
    isYes(settings.get("passdb_deny")) ||
    (listed.length > 0 && listed.every((name) => tokenMechanisms.has(name)))
  );
}

function bypass(passdb: DovecotBlock): Finding {
  const isMaster = isYes(passdb.settings.get("master")) || isYes(passdb.settings.get("passdb_master"));
  const name = `passdb ${driverOf(passdb)}`;
  return isMaster
    ? warning(
        `master users of ${name} sign in without Postern`,
        "keep it only if they must; Postern has master users too",
      )
    : problem(
        `${name} accepts passwords without Postern: no ban, no policy and no second factor applies`,
        `remove every passdb except Postern's; ${guide}`,
      );
}

/** Passwords are verified by the site's passdb, and Postern counts failures and refuses banned networks. */
const isPolicyServer = ({ settings }: DovecotBlock): boolean => (settings.get("auth_policy_server_url") ?? "") !== "";

function settingFindings({ settings }: DovecotBlock): readonly Finding[] {
  const cache = settings.get("auth_cache_size") ?? "0";
  return [
    ...(/^0\b/u.test(cache)
      ? []
      : [
          problem(
            `auth_cache_size = ${cache}: Dovecot accepts old passwords from its cache without asking Postern`,
            "set auth_cache_size = 0",
          ),
        ]),
    ...(settings.get("auth_username_chars") === ""
      ? []
      : [
          warning(
            "auth_username_chars: Dovecot refuses names with characters such as + and ü before it asks Postern",
            "set auth_username_chars to nothing",
          ),
        ]),
  ];
}

/** What makes this Dovecot sign users in without Postern. */
export function judgeDovecot(dovecot: DovecotBlock): readonly Finding[] {
  const all = passdbs(dovecot);
  if (isPolicyServer(dovecot)) return [];
  const own = all.filter(asksPostern);
  if (own.length === 0)
    return [
      problem(
        "no passdb asks Postern, and auth_policy_server_url is not set: Postern protects none of its sign-ins",
        guide,
      ),
    ];
  const others = all.filter((passdb) => !(asksPostern(passdb) || acceptsNoPassword(passdb)));
  return [...others.map(bypass), ...settingFindings(dovecot)];
}

async function printed(source: DovecotSource, timeoutMs: number): Promise<string> {
  if ("file" in source) return await readFile(source.file, "utf8");
  return (await promisify(execFile)(source.command, ["-n"], { timeout: timeoutMs })).stdout;
}

/** Whether Dovecot asks Postern about every password. */
export function dovecotCheck(source: DovecotSource, timeoutMs: number): Check {
  const run = async (): Promise<readonly Finding[]> => {
    let text: string;
    try {
      text = await printed(source, timeoutMs);
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
      return [problem(`its configuration cannot be read: ${reason}`, "run doveconf -n, as root")];
    }
    return judgeDovecot(readDoveconf(text));
  };
  return { subject: "dovecot", run };
}
