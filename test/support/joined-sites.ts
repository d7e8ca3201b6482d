import { freePort, spawnNats } from "@postern/testing";
import { type LinkProxy, startLinkProxy } from "./link-proxy.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";
import { merged } from "./stack-config.ts";

/** Sites of which each is a region, with a Redis of its own, and a NATS beside that of its services. */
export interface JoinedSites extends AsyncDisposable {
  readonly sites: readonly Stack[];
  /** Between the first region and each of the others. */
  readonly links: readonly LinkProxy[];
}

/** Lost servers are noticed as early as in the files of deploy/nats. */
const natsOptions = 'ping_interval: "2s"\nping_max: 2\nwrite_deadline: "2s"\n';

/** The NATS of the regions: the first is the hub of the others. */
async function joinNats(owned: AsyncDisposableStack, names: readonly string[]) {
  const hubPort = await freePort();
  const [first = "", ...others] = names;
  // The hub tells its leaf nodes where it is. At this place it is not, so that none goes past its link.
  const leafnodes = `leafnodes { listen: "127.0.0.1:${hubPort}", advertise: "127.0.0.1:1" }`;
  const hub = owned.use(await spawnNats({ config: `server_name: ${first}\n${natsOptions}${leafnodes}` }));
  const links: LinkProxy[] = [];
  const urls = [hub.url];
  for (const name of others) {
    const link = owned.use(await startLinkProxy(hubPort));
    links.push(link);
    const remotes = `leafnodes { reconnect: 1, remotes: [{ url: "nats-leaf://127.0.0.1:${link.port}" }] }`;
    urls.push(owned.use(await spawnNats({ config: `server_name: ${name}\n${natsOptions}${remotes}` })).url);
  }
  return { links, urls };
}

/** @param optionsOf of the site with this name, in addition to admin and jobs-worker */
export async function startJoinedSites(
  names: readonly string[],
  optionsOf: (name: string) => StackOptions,
): Promise<JoinedSites> {
  await using started = new AsyncDisposableStack();
  const { links, urls } = await joinNats(started, names);
  const sites: Stack[] = [];
  for (const [index, name] of names.entries()) {
    const { services = [], settings = {}, ...more } = optionsOf(name);
    const regions = { name, peers: names.filter((other) => other !== name), bus: { servers: [urls[index]] } };
    const site = await startStack({
      ...more,
      redis: true,
      services: ["admin", "jobs-worker", ...services],
      settings: merged(settings, { runtime: { regions } }),
    });
    sites.push(started.use(site));
  }
  const owned = started.move();
  return { sites, links, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
