import { once } from 'node:events'
import { createServer } from 'node:net'
import { refusal } from './plan-network.ts'

const LAST_PORT = 65_535

/** Finds `count` free ports of this machine, in ascending order from `first`. Skips `planned` ports and adds its own. */
export async function freePorts(
  host: string,
  first: number,
  count: number,
  planned = new Set<number>(),
): Promise<number[]> {
  const found: number[] = []
  for (let port = first; port <= LAST_PORT && found.length < count; port += 1) {
    if (!planned.has(port) && (await isFree(host, port))) found.push(port)
  }
  for (const port of found) planned.add(port)
  if (found.length < count) {
    throw refusal(`There are no ${count} free ports from ${first} on; end programs that listen there.`)
  }
  return found
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
