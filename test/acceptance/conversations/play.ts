import { type Comparison, firstDifference } from './compare-json.ts'
import { type Exchange, parseConversation } from './conversation.ts'

/** Sends one message and returns the response, '' if there is none: in process, over HTTP or a WebSocket. */
export type Ask = ((request: string) => Promise<string>) & {
  /** Resolves with the next notification. */
  readonly hear?: () => Promise<string>
  /** The number of notifications that were not read. */
  readonly unheard?: () => number
}

export interface PlayedExchange extends Exchange {
  readonly actual: string
  /** Undefined if the response is as expected. */
  readonly difference: string | undefined
}

/** Plays a conversation; `start` creates a node with a scene's options. */
export async function playConversation(
  text: string,
  start: (options: readonly string[]) => Ask | Promise<Ask>,
  comparison?: Comparison,
): Promise<PlayedExchange[]> {
  const played: PlayedExchange[] = []
  for (const { options, exchanges } of parseConversation(text)) {
    const ask = await start(options)
    for (const exchange of exchanges) {
      const actual = await ask(exchange.request)
      let difference = firstDifference(exchange.answer, actual, comparison)
      for (const told of exchange.told) difference ??= firstDifference(told, await ask.hear!(), comparison)
      if ((ask.unheard?.() ?? 0) > 0) difference ??= 'more notifications than expected'
      played.push({ ...exchange, actual, difference })
    }
  }
  return played
}
