/** Paths of a site's files. */
export interface SiteFiles {
  readonly path: (name: string) => string;
  readonly secret: (name: string) => string;
}

/** A string of the configuration file, in which `${` would begin a variable. */
export function quoted(text: string): string {
  return JSON.stringify(text.replaceAll("${", "$${"));
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|)$/u;

/** Whether a URL or `host:port` names this machine. */
export function isLocal(address: string): boolean {
  const url = URL.parse(address.includes("://") ? address : `tcp://${address}`);
  return url !== null && loopback.test(url.hostname);
}
