/** A JSON list of item texts, in chunks of a size worth sending. */
const CHUNK_CHARACTERS = 64 * 1024

export async function* jsonList(
  items: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void, undefined> {
  let text = '['
  let isFirst = true
  for await (const item of items) {
    text += isFirst ? item : `,${item}`
    isFirst = false
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield `${text}]`
}
