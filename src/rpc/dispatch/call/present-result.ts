import { formatResult, resultStart } from '#rpc/dispatch/answer.ts'
import type { AnswerBody } from '#serve/answer-text.ts'
import { assert } from '#types/assert.ts'
import type { Call } from './call.ts'
import { isStream, openStream } from './result-stream.ts'

/** A result that is JSON text already, because an engine thread made it. */
export class ResultText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Stage 9: a result becomes the JSON text of an answer, in one piece or in chunks. */
export async function presentResult(
  { id, name, context }: Call,
  result: unknown,
  onFailure: (thrown: unknown) => void,
): Promise<AnswerBody> {
  if (isStream(result)) {
    const { signal } = context
    return await openStream({ start: resultStart(id), chunks: result, end: '}', signal, onFailure })
  }
  const text = result instanceof ResultText ? result.text : JSON.stringify(result)
  assert(text !== undefined, `${name} has a result; one without meaning is null.`)
  return formatResult(id, text)
}
