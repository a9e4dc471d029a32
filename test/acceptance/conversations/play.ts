import { type Comparison, firstDifference } from './compare-json.ts'
import { type Exchange, parseConversation } from './conversation.ts'

/** Sends one message and gives what came back, '' for nothing. In process, over HTTP or a WebSocket. */
export type Ask = ((request: string) => Promise<string>) & {
  /** The next message that came unasked. */
  readonly hear?: () => Promise<string>
  /** How many came that were not heard. */
  readonly unheard?: () => number
}

export interface PlayedExchange extends Exchange {
  readonly actual: string
  /** Undefined when the answer is the expected one. */
  readonly difference: string | undefined
}

/** Plays a conversation; `start` gives a node with the options of a scene. */
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
      if ((ask.unheard?.() ?? 0) > 0) difference ??= 'more was told than was expected'
      played.push({ ...exchange, actual, difference })
    }
  }
  return played
}
