/** Node lists in GoQuorum's data directory. */
import { parseEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { migrationRefused } from './migration-notes.ts'

/** Removes the Raft ports from enode URLs. */
export function convertNodeList(file: string, text: string): string[] {
  const list = parseJson(text)
  if (!Array.isArray(list)) throw migrationRefused(`${file} is not a list of enode URLs.`)
  return list.map((entry) => {
    if (typeof entry !== 'string') throw migrationRefused(`${file} holds an entry that is not an enode URL.`)
    const enode = withoutRaft(entry)
    try {
      parseEnode(enode, { allowHostNames: true })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw migrationRefused(`${file}: ${error.message}`)
    }
    return enode
  })
}

/** GoQuorum bans a node by its id, regardless of its address. */
export function withoutBanned(nodes: readonly string[], banned: readonly string[]): string[] {
  const ids = new Set(banned.map(idOf))
  return nodes.filter((node) => !ids.has(idOf(node)))
}

function idOf(enode: string): string {
  return parseEnode(enode, { allowHostNames: true }).id.toLowerCase()
}

function withoutRaft(enode: string): string {
  const at = enode.indexOf('?')
  if (at === -1) return enode
  const left = enode
    .slice(at + 1)
    .split('&')
    .filter((part) => part.startsWith('discport='))
  return left.length === 0 ? enode.slice(0, at) : `${enode.slice(0, at)}?${left.join('&')}`
}
