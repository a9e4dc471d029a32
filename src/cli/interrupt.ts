const EXIT_SECOND_SIGNAL = 130

/** Aborts at the first SIGINT or SIGTERM; a second one ends the program at once. */
export function onInterrupt(tell: (signal: NodeJS.Signals) => void): AbortSignal {
  const controller = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(EXIT_SECOND_SIGNAL)
    tell(signal)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
