/** A value that is there already, or has to be waited for. The most frequent requests do not wait for anything. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Continues at once if the value is there: a promise costs as much as reading an account. */
export function whenReady<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Continues with the value or the error of `work`, at once if it returns or throws at once. */
export function settle<Value, Next>(
  work: () => MaybePromise<Value>,
  onValue: (value: Value) => MaybePromise<Next>,
  onError: (error: unknown) => MaybePromise<Next>,
): MaybePromise<Next> {
  let value: MaybePromise<Value>
  try {
    value = work()
  } catch (error) {
    return onError(error)
  }
  return value instanceof Promise ? value.then(onValue, onError) : onValue(value)
}
