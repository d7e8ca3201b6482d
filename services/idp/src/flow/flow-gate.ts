import { browserDigest, isBrowserToken, isFlowId, readCsrfToken } from "./browser-binding.ts";
import type { FlowRecord } from "./flow-record.ts";
import type { FlowStore } from "./flow-store.ts";
import { type FlowEvent, type FlowState, nextState } from "./flow-table.ts";

/** What a browser shows to be let on. */
export interface Presented {
  /** The flow cookie. */
  readonly browserToken: string | undefined;
  /** Of the URL, by GET. */
  readonly flowId?: string | undefined;
  /** Of the form, by POST: it names the flow and proves that the form is ours. */
  readonly csrfToken?: string | undefined;
}

/**
 * `open`: go on. `elsewhere`: the flow is this browser's, but stands on another page. `none`: no such flow, not of
 * this browser, over, or the form is not ours: 400.
 */
export type Passage =
  | { readonly passage: "open"; readonly flow: FlowRecord; readonly browserToken: string }
  | { readonly passage: "elsewhere"; readonly flow: FlowRecord; readonly browserToken: string }
  | { readonly passage: "none" };

/** What may be told beside a move. */
export type FlowChange = Pick<Partial<FlowRecord>, "pending" | "sessionUid" | "client" | "missing" | "deviceKey">;

/** The only way into a flow and the only way on in it. */
export interface FlowGate {
  /** By GET: the flow of the URL, or without one the browser's latest. */
  enter(presented: Presented, states: readonly FlowState[]): Promise<Passage>;
  /** By POST. */
  submit(presented: Presented, states: readonly FlowState[]): Promise<Passage>;
  /**
   * Moves the flow as the table says.
   * @returns undefined when somebody else moved it since it was read
   * @throws RangeError for a move that the table does not have: a bug
   */
  move(flow: FlowRecord, event: FlowEvent, change?: FlowChange): Promise<FlowRecord | undefined>;
  /** Back to the first page: what was shown so far is forgotten. @returns undefined as `move` does */
  restart(flow: FlowRecord, change?: Pick<FlowRecord, "hasFailed">): Promise<FlowRecord | undefined>;
  /** A flow that was let through before, as it is now. */
  reread(id: string): Promise<FlowRecord | undefined>;
}

const shut: Passage = Object.freeze({ passage: "none" });

export function createFlowGate(flows: FlowStore): FlowGate {
  const pass = async (id: string | undefined, browserToken: string, states: readonly FlowState[]): Promise<Passage> => {
    const flow = isFlowId(id) ? await flows.find(id) : undefined;
    if (flow === undefined || flow.browser !== browserDigest(browserToken) || flow.state === "finished") return shut;
    return { passage: states.includes(flow.state) ? "open" : "elsewhere", flow, browserToken };
  };
  return {
    enter: async ({ browserToken, flowId }, states) => {
      if (!isBrowserToken(browserToken)) return shut;
      return pass(flowId ?? (await flows.latestOf(browserDigest(browserToken))), browserToken, states);
    },
    submit: async ({ browserToken, csrfToken }, states) => {
      if (!isBrowserToken(browserToken)) return shut;
      const id = readCsrfToken(csrfToken, browserToken);
      return id === undefined ? shut : pass(id, browserToken, states);
    },
    move: (flow, event, change = {}) => {
      const state = nextState(flow.kind, flow.state, event);
      if (state === undefined) throw new RangeError(`no move ${event} from ${flow.state} of ${flow.kind}`);
      return flows.replace({ ...flow, ...change, state });
    },
    restart: (asked, change = {}) => {
      const { pending: _forgotten, hasFailed: _told, ...flow } = asked;
      const state = nextState(flow.kind, flow.state, "restarted");
      if (state === undefined) throw new RangeError(`no way back from ${flow.state} of ${flow.kind}`);
      return flows.replace({ ...flow, ...change, state });
    },
    reread: (id) => flows.find(id),
  };
}
