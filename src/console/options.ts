import { usageFault } from '#config/faults.ts'
import { boolean, type Kind, listOf, port, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

/** A node whose JSON-RPC the console calls. */
export interface ConsoleNode {
  readonly name: string
  /** Has no trailing slash. */
  readonly url: string
}

const NAME = /^[\w.-]{1,64}$/
const MAX_NODES = 100

export const consoleOptions = defineOptions('Console', {
  enabled: {
    flag: '--console-enabled',
    kind: boolean,
    default: false,
    help: 'Serve the console, a web page that shows the network.',
    details:
      'It authenticates and encrypts as JSON-RPC over HTTP does; without authentication it only reads.',
  },
  host: {
    flag: '--console-host',
    kind: text,
    label: 'HOST',
    default: '127.0.0.1',
    help: 'Host to listen on.',
  },
  port: {
    flag: '--console-port',
    kind: port(),
    default: 8580,
    help: 'Port to listen on; 0 lets the system choose.',
  },
  nodes: {
    flag: '--console-nodes',
    kind: nodeList(),
    label: 'NAME=URL,…',
    default: [],
    defaultText: 'this node only',
    help: 'Further nodes to show, by the URLs of their JSON-RPC over HTTP.',
  },
})

function nodeList(): Kind<readonly ConsoleNode[]> {
  const node: Kind<ConsoleNode> = {
    ...text,
    parse: readNode,
    format: ({ name, url }) => `${name}=${url}`,
  }
  return listOf(node, requireDistinct)
}

function readNode(entry: string): ConsoleNode {
  const at = entry.indexOf('=')
  const [name, address] = [entry.slice(0, at), entry.slice(at + 1)]
  if (at < 0 || !NAME.test(name)) {
    throw usageFault(`'${entry}' is not NAME=URL, such as validator-2=http://127.0.0.1:8546.`)
  }
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (url === undefined || !isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw usageFault(`'${address}' is not the http or https URL of a node, without a user and a query.`)
  }
  return { name, url: url.href.replace(/\/+$/, '') }
}

function requireDistinct(nodes: readonly ConsoleNode[]): readonly ConsoleNode[] {
  if (nodes.length > MAX_NODES) throw usageFault(`The console shows at most ${MAX_NODES} further nodes.`)
  const names = new Set<string>()
  for (const { name } of nodes) {
    if (names.has(name)) throw usageFault(`Two nodes of the console have the name ${name}; rename one.`)
    names.add(name)
  }
  return nodes
}
