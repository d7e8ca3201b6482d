interface EventStreamLimits {
  readonly all: number;
  readonly perAccount: number;
}

/** Open streams of events of this process. Each one has a connection between gateway and admin, and asks for the operator's role. */
export function createEventStreams(limits: EventStreamLimits = { all: 16, perAccount: 4 }) {
  const streams = new Set<{ readonly account: string; readonly end: () => void }>();
  let hasEnded = false;
  return {
    /**
     * Admits a stream; `end` must end it. The oldest of an account with too many ends. Undefined if this process has too many, or is
     * stopping. Otherwise returns the function to call when the stream has ended.
     */
    open: (account: string, end: () => void): (() => void) | undefined => {
      const own = [...streams].filter((one) => one.account === account);
      if (own.length >= limits.perAccount) own[0]?.end();
      if (hasEnded || streams.size >= limits.all) return undefined;
      const stream = { account, end };
      streams.add(stream);
      return () => void streams.delete(stream);
    },
    /** At shutdown. */
    end: (): void => {
      hasEnded = true;
      for (const { end } of streams) end();
    },
  };
}
