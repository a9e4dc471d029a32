/**
 * A conversation is a client's requests and the responses, one message per line.
 *
 *   // a note
 *   // options: --network-id=5 --identity=lab
 *   >> {"jsonrpc":"2.0","id":1,"method":"net_version"}
 *   << {"jsonrpc":"2.0","id":1,"result":"5"}
 *
 * `// options:` begins a new scene on a node with these options. `<<` alone means that there is
 * no response. Further `<<` lines are notifications after the response.
 */
export interface Scene {
  readonly options: readonly string[]
  readonly exchanges: readonly Exchange[]
}

export interface Exchange {
  /** The last note before the request. */
  readonly note: string
  readonly line: number
  readonly request: string
  readonly answer: string
  /** Notifications in their order. */
  readonly told: readonly string[]
}

const OPTIONS = /^options:\s*(.*)$/

export function parseConversation(text: string): Scene[] {
  const scenes: { options: string[]; exchanges: (Exchange & { told: string[] })[] }[] = [
    { options: [], exchanges: [] },
  ]
  let note = ''
  let asked: { request: string; line: number } | undefined
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1
    const [, mark, rest = ''] = /^(\/\/|>>|<<)\s*(.*)$/.exec(content) ?? []
    if (mark === undefined && content.trim() === '') continue
    if (mark === '//') {
      const options = OPTIONS.exec(rest)
      if (options) scenes.push({ options: options[1]!.split(/\s+/), exchanges: [] })
      else note = rest
    } else if (mark === '>>' && asked === undefined) {
      asked = { request: rest, line }
    } else if (mark === '<<' && asked !== undefined) {
      scenes.at(-1)!.exchanges.push({ note, ...asked, answer: rest, told: [] })
      asked = undefined
    } else if (mark === '<<' && rest !== '' && scenes.at(-1)!.exchanges.length > 0) {
      scenes.at(-1)!.exchanges.at(-1)!.told.push(rest)
    } else {
      throw new Error(`line ${line}: expected a note, or a request (>>) and then its answer (<<)`)
    }
  }
  if (asked !== undefined) throw new Error(`line ${asked.line}: the request has no answer`)
  return scenes.filter(({ exchanges }) => exchanges.length > 0)
}
