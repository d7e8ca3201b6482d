/** The parts of a login that names two users. */
export interface MasterLogin {
  /** The user whose account is opened. */
  readonly user: string;
  /** The user whose password was sent. */
  readonly masterUser: string;
}

export interface MasterUserFormat {
  /** Undefined for a login of another form, and for one that could be read in two ways. */
  parse(username: string): MasterLogin | undefined;
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
export function parseMasterUserFormat(format: string): MasterUserFormat | undefined {
  const parts = format.replaceAll("{master}", "{master_user}").split(/(\{user\}|\{master_user\})/);
  const [prefix = "", first = "", delimiter = "", second = "", suffix = "", ...more] = parts;
  if (delimiter === "" || more.length > 0 || first === second || first === "" || second === "") return undefined;
  return {
    parse: (username) => {
      const found = split(username, [prefix, delimiter, suffix]);
      if (found === undefined) return undefined;
      const [one, other] = found;
      return first === "{user}" ? { user: one, masterUser: other } : { user: other, masterUser: one };
    },
  };
}
