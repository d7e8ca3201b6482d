import { get } from "node:http";

/**
 * The status of a private listener's `/readyz`, 0 while it does not answer. A plain request, because fetch costs more CPU.
 */
export function readiness(port: number): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.setTimeout(2000, () => request.destroy());
    request.once("error", () => resolve(0));
  });
}
