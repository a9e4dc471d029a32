import { type Enode, formatEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it hung up during the handshake',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that network',
  ENOTFOUND: 'nobody knows an address of that name',
  EAI_AGAIN: 'the name could not be resolved for now',
  EMFILE: 'this node has as many files and sockets open as the system allows',
}

/** Why a dial came to nothing, for people. */
export function dialSentence(enode: Enode, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const place = formatEnode(enode).replace(/^enode:\/\/[0-9a-f]+@/, '')
  return `${place}: ${BY_CODE[code] ?? messageOf(error)}.`
}

function messageOf(error: unknown): string {
  const text =
    error instanceof Fault ? error.data.sentence : error instanceof Error ? error.message : String(error)
  return text.replace(/\.$/, '')
}
