import {
  answerContracts,
  bounded,
  type ClientsOf,
  type Contracts,
  clientsOf,
  type OwnersOf,
  publishContracts,
} from './contract.ts'

/** Clones values as the channel does, so a value that the channel refuses fails here too. */
export function askDirectly<Tables extends Contracts>(
  tables: Tables,
  owners: OwnersOf<Tables>,
): ClientsOf<Tables> {
  const handlers = answerContracts(tables, owners)
  const publishers = publishContracts(tables, owners)
  return clientsOf(
    tables,
    (contract, name, { maxArgBytes }) =>
      bounded(`${contract}.${name}`, maxArgBytes, async (...args) =>
        structuredClone(await handlers[`${contract}.${name}`]!(structuredClone(args))),
      ),
    (contract, name) =>
      async function* (signal) {
        const context = { signal, deadlineAtMs: Number.POSITIVE_INFINITY }
        for await (const batch of publishers[`${contract}.${name}`]!(null, context))
          yield structuredClone(batch)
      },
  )
}
