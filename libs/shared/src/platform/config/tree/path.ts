/** Names and list positions from the root down. */
export type Path = readonly (string | number)[];

/** `auth.backends.ldap.search[0].base_dn` */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** The reverse of `formatPath`; `search.0` is read like `search[0]`. */
export function parsePath(text: string): Path {
  return text
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** `SERVICE_AUTH_BACKENDS_LDAP_SEARCH_0_BASE_DN` */
export function environmentName(path: Path, prefix: string): string {
  return [prefix, ...path]
    .map((part) =>
      String(part)
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]/g, "_"),
    )
    .join("_");
}
