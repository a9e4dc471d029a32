/** What is in the pool by class, sender and nonce, as JSON text that is sent as it is made. */
import type { Address } from '#types/address.ts'
import type { DecodedItem } from './pool-transaction.ts'

type Show = (decoded: DecodedItem) => unknown | Promise<unknown>

/** `{"pending":{sender:{nonce:…}},"queued":{…}}` */
export async function* contentText(
  items: AsyncIterable<DecodedItem>,
  show: Show,
): AsyncGenerator<string, void, undefined> {
  const bySender = Map.groupBy(await Array.fromAsync(items), ({ item }) => item.sender)
  for (const [opening, isPending] of [
    ['{"pending":{', true],
    ['},"queued":{', false],
  ] as const) {
    yield opening
    let isFirst = true
    for (const [sender, own] of bySender) {
      const shown = own.filter(({ item }) => item.isPending === isPending)
      if (shown.length === 0) continue
      yield `${isFirst ? '' : ','}${JSON.stringify(sender satisfies Address)}:`
      yield* noncesText(shown, show)
      isFirst = false
    }
  }
  yield '}}'
}

/** `{"pending":{nonce:…},"queued":{…}}` */
export async function* senderText(
  items: AsyncIterable<DecodedItem>,
  show: Show,
): AsyncGenerator<string, void, undefined> {
  const own = await Array.fromAsync(items)
  yield '{"pending":'
  yield* noncesText(
    own.filter(({ item }) => item.isPending),
    show,
  )
  yield ',"queued":'
  yield* noncesText(
    own.filter(({ item }) => !item.isPending),
    show,
  )
  yield '}'
}

async function* noncesText(own: readonly DecodedItem[], show: Show): AsyncGenerator<string, void, undefined> {
  const sorted = own.toSorted((a, b) => (a.transaction.nonce < b.transaction.nonce ? -1 : 1))
  let text = '{'
  for (const [index, decoded] of sorted.entries()) {
    text += `${index === 0 ? '' : ','}"${decoded.transaction.nonce}":${JSON.stringify(await show(decoded))}`
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield `${text}}`
}

const CHUNK_CHARACTERS = 64 * 1024
