import { browserDigest, isBrowserToken, isFlowId, readCsrfToken } from "./browser-binding.ts";
import type { FlowRecord } from "./flow-record.ts";
import type { FlowStore } from "./flow-store-redis.ts";
import { type FlowEvent, type FlowState, nextState } from "./flow-table.ts";

/** What a browser presents to enter a flow. */
export interface Presented {
  /** The flow cookie. */
  readonly browserToken: string | undefined;
  /** From the URL of a GET. */
  readonly flowId?: string | undefined;
  /** From the form of a POST: identifies the flow, and proves that the form came from our page. */
  readonly csrfToken?: string | undefined;
}

/**
 * `open`: admitted. `elsewhere`: the flow belongs to this browser but is on another page. `over`: it belongs to this
 * browser and is finished. `none`: the flow is unknown or another browser's, or the form is not ours. The last two are
 * answered with 400.
 */
export type Passage =
  | { readonly passage: "open"; readonly flow: FlowRecord; readonly browserToken: string }
  | { readonly passage: "elsewhere"; readonly flow: FlowRecord; readonly browserToken: string }
  | { readonly passage: "over"; readonly flow: FlowRecord; readonly browserToken: string }
  | { readonly passage: "none" };

/** Fields that may change together with a move. */
export type FlowChange = Pick<
  Partial<FlowRecord>,
  "pending" | "sessionUid" | "client" | "missing" | "deviceKey" | "reasons"
>;
const shut: Passage = Object.freeze({ passage: "none" });

/** The only way into a flow and from one of its states to the next. */
export function createFlowGate(flows: FlowStore) {
  const pass = async (id: string | undefined, browserToken: string, states: readonly FlowState[]): Promise<Passage> => {
    const flow = isFlowId(id) ? await flows.find(id) : undefined;
    if (flow === undefined || flow.browser !== browserDigest(browserToken)) return shut;
    if (flow.state === "finished") return { passage: "over", flow, browserToken };
    return { passage: states.includes(flow.state) ? "open" : "elsewhere", flow, browserToken };
  };
  return {
    /** For GET: the flow named in the URL, or else the browser's latest. */
    enter: async ({ browserToken, flowId }: Presented, states: readonly FlowState[]): Promise<Passage> => {
      if (!isBrowserToken(browserToken)) return shut;
      return pass(flowId ?? (await flows.latestOf(browserDigest(browserToken))), browserToken, states);
    },
    /** For POST. */
    submit: async ({ browserToken, csrfToken }: Presented, states: readonly FlowState[]): Promise<Passage> => {
      if (!isBrowserToken(browserToken)) return shut;
      const id = readCsrfToken(csrfToken, browserToken);
      return id === undefined ? shut : pass(id, browserToken, states);
    },
    /**
     * Moves the flow according to the table.
     * @returns undefined if another request moved it since it was read
     * @throws RangeError for a move that is not in the table, which is a bug
     */
    move: (flow: FlowRecord, event: FlowEvent, change: FlowChange = {}): Promise<FlowRecord | undefined> => {
      const state = nextState(flow.kind, flow.state, event);
      if (state === undefined) throw new RangeError(`no move ${event} from ${flow.state} of ${flow.kind}`);
      return flows.replace({ ...flow, ...change, state });
    },
    /** Returns the flow to the first page and forgets its proofs. @returns undefined, as `move` does */
    restart: (
      current: FlowRecord,
      change: Pick<FlowRecord, "hasFailed" | "failedReference" | "reasons"> = {},
    ): Promise<FlowRecord | undefined> => {
      const { pending: _forgotten, hasFailed: _told, failedReference: _shown, ...flow } = current;
      const state = nextState(flow.kind, flow.state, "restarted");
      if (state === undefined) throw new RangeError(`no way back from ${flow.state} of ${flow.kind}`);
      // A user who switches accounts must not be asked for this one again.
      const { accountId: _left, sessionUid: _over, ...anew } = flow;
      return flows.replace({ ...(flow.state === "consent" ? anew : flow), ...change, state });
    },
    /** Reads again a flow that was admitted before. */
    reread: (id: string): Promise<FlowRecord | undefined> => flows.find(id),
  };
}

export type FlowGate = ReturnType<typeof createFlowGate>;
