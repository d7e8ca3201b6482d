import { isLoopback } from "../../net/ip.ts";

/** Whether the content cannot be modified in transit: TLS, or this machine. */
export function isSafeToFetch(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopback(url.hostname);
}
