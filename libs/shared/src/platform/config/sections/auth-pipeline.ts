import { messages } from "../messages.ts";
import { checkFilled, type Judgement } from "./checks.ts";
import { duration, entries, flag, integer, liveSection, secret, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";

const DecoyPassword = liveSection("A decoy password.", {
  stored: secret("Hash of an unused password, of the same kind and cost as the hashes in the backends.", {
    form: "password-hash",
  }),
  weight: integer(1, "Share of accounts with this kind of hash, relative to the weights of the other entries.", {
    minimum: 1,
    maximum: 1_000_000,
  }),
});

export const Pipeline = section("Limits, waits and the local cache of decisions.", {
  max_concurrent_requests: integer(
    1000,
    "Maximum number of authentication requests that the gateway handles concurrently.",
    { minimum: 1 },
  ),
  max_login_attempts: integer(15, "Login attempt at which Auth-Wait becomes 0, so that nginx closes the session.", {
    minimum: 1,
    reload: "live",
  }),
  wait_delay: integer(10, "Longest Auth-Wait of a denial. 0 omits the header.", {
    unit: "s",
    maximum: 600,
    reload: "live",
  }),
  master_user: liveSection("Master users, who sign in as another user with their own password.", {
    enabled: flag("Whether master users are accepted."),
    user_format: text(
      "Format of a login name that contains both users. {user} is the account to open, {master_user} the user whose password is sent.",
      { default: "{user}*{master_user}", minLength: 1 },
    ),
    users: texts("User names of the master users, spelled as they sign in."),
  }),
  local_cache_ttl: duration(
    "30s",
    "Lifetime of a successful decision in the memory of an engine. A flush reaches every engine over the bus. If the event is lost, the entry remains for this time. 0 disables the cache.",
    { maximum: 3_600_000 },
  ),
  local_cache_max_entries: integer(20_000, "Maximum number of decisions in the memory of an engine.", { minimum: 1 }),
  local_cache_max_bytes: integer(33_554_432, "Maximum estimated memory of these decisions in an engine.", {
    unit: "bytes",
    minimum: 65_536,
  }),
  max_hashing_concurrency: integer(
    0,
    "Number of password hashes that are computed concurrently. 0 uses the number of CPU cores.",
  ),
  max_hashing_queue: integer(
    256,
    "Maximum number of password verifications that wait. Further ones are temporary failures.",
  ),
  decoy_passwords: entries(
    "Hashes that are verified for unknown user names in SQL and Lua backends, so that an unknown name takes as long as an account. If empty, the engine learns the mix of hashes in an SQL backend from the accounts that it reads.",
    DecoyPassword,
  ),
});

const root = "auth.pipeline";

export function validatePipeline({ auth }: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { decoy_passwords, master_user } = auth.pipeline;
  checkFilled(decoy_passwords, `${root}.decoy_passwords`, "stored", judgement);
  if (!master_user.enabled) return;
  if (parseMasterUserFormat(master_user.user_format) === undefined) {
    problem(`${root}.master_user.user_format`, messages.masterUserFormat);
  }
  if (master_user.users.length === 0) warning(`${root}.master_user.users`, messages.noMasterUsers);
}

function split(username: string, [prefix, delimiter, suffix]: readonly [string, string, string]) {
  if (username.length < prefix.length + suffix.length) return undefined;
  if (!username.startsWith(prefix) || !username.endsWith(suffix)) return undefined;
  const middle = username.slice(prefix.length, username.length - suffix.length);
  const [first = "", second = "", ...more] = middle.split(delimiter);
  return first === "" || second === "" || more.length > 0 ? undefined : ([first, second] as const);
}

/**
 * `auth.pipeline.master_user.user_format`, as `{user}*{master_user}`; `{master}` is an older spelling. Undefined when it
 * does not hold both once, with a delimiter between them.
 */
export function parseMasterUserFormat(format: string) {
  const parts = format.replaceAll("{master}", "{master_user}").split(/(\{user\}|\{master_user\})/);
  const [prefix = "", first = "", delimiter = "", second = "", suffix = "", ...more] = parts;
  if (delimiter === "" || more.length > 0 || first === second || first === "" || second === "") return undefined;
  return {
    /**
     * The user whose account is opened, and the one whose password was sent. Undefined for a login of another form, and for one that could be
     * read in two ways.
     */
    parse: (username: string) => {
      const found = split(username, [prefix, delimiter, suffix]);
      if (found === undefined) return undefined;
      const [one, other] = found;
      return first === "{user}" ? { user: one, masterUser: other } : { user: other, masterUser: one };
    },
  };
}
