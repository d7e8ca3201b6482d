import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Health } from "@postern/shared/platform/lifecycle";

/** Values of `grpc.health.v1.HealthCheckResponse.ServingStatus`. */
const servingStatus = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;
type ServingStatus = (typeof servingStatus)[keyof typeof servingStatus];

type HealthRequest = { readonly service: string };
type Reply = { readonly status: ServingStatus };
type Watcher = ServerWritableStream<HealthRequest, Reply>;

const maxWatchers = 64;
const watchEveryMs = 1000;

/** `grpc.health.v1` with the state of `/readyz`. Open to all callers, because probes have no credentials. */
export function createHealthService(health: Health, serviceNames: readonly string[]) {
  const watchers = new Map<Watcher, ServingStatus | undefined>();
  const known = new Set(["", ...serviceNames]);
  const statusOf = async (service: string): Promise<ServingStatus> => {
    if (!known.has(service)) return servingStatus.serviceUnknown;
    const report = await health.report();
    return report.status === "up" || report.status === "degraded" ? servingStatus.serving : servingStatus.notServing;
  };
  const sendStatus = async (watcher: Watcher): Promise<void> => {
    const now = await statusOf(watcher.request.service);
    if (!watchers.has(watcher) || watchers.get(watcher) === now) return;
    watchers.set(watcher, now);
    watcher.write({ status: now });
  };
  const timer = setInterval(() => void Promise.all([...watchers.keys()].map(sendStatus)), watchEveryMs);
  timer.unref();
  const answerCheck = async (service: string, callback: sendUnaryData<Reply>): Promise<void> => {
    const now = await statusOf(service);
    if (now === servingStatus.serviceUnknown) callback({ code: status.NOT_FOUND, details: "unknown service" });
    else callback(null, { status: now });
  };
  const check: handleUnaryCall<HealthRequest, Reply> = ({ request }, callback) =>
    void answerCheck(request.service, callback);
  const watch: handleServerStreamingCall<HealthRequest, Reply> = (call) => {
    if (watchers.size >= maxWatchers) {
      call.emit("error", { code: status.RESOURCE_EXHAUSTED, details: "too many watch streams are open" });
      return;
    }
    watchers.set(call, undefined);
    call.once("cancelled", () => watchers.delete(call));
    void sendStatus(call);
  };
  return {
    implementation: { Check: check, Watch: watch } satisfies UntypedServiceImplementation,
    /** Ends the streaming health calls, which would keep the listener open. */
    close: (): void => {
      clearInterval(timer);
      for (const watcher of watchers.keys()) {
        watcher.write({ status: servingStatus.notServing });
        watcher.end();
      }
      watchers.clear();
    },
  };
}
