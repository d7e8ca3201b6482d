export type ServerChange = ReturnType<typeof createServerChange>;

/** Longer than one server that does not answer takes. */
const maxMs = 3000;

/**
 * A planned change from a NATS server that is shutting down to another one. Requests that are made in the meantime wait for it.
 *
 * @param onGivenUp called if no server has accepted the connection in time
 */
export function createServerChange(onGivenUp: () => void) {
  let isUnderWay = false;
  let timer: NodeJS.Timeout | undefined;
  /** There is a connection again, or none is wanted. */
  const end = (): void => {
    isUnderWay = false;
    clearTimeout(timer);
  };
  return {
    isUnderWay: (): boolean => isUnderWay,
    begin: (): void => {
      isUnderWay = true;
    },
    /** The connection is being replaced: from now on, the change may take three seconds. */
    replacing: (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end();
        onGivenUp();
      }, maxMs);
      timer.unref();
    },
    end,
  };
}
