import { MethodNames } from '#jsonrpc/registry/method-names.ts'
import { BESU_METHODS } from './besu-methods.ts'
import { METHOD_NAMES } from './method-names.generated.ts'

export const KNOWN_METHODS = new MethodNames({
  served: METHOD_NAMES,
  known: BESU_METHODS,
  retiredApis: ['CLIQUE', 'EEA', 'GOQUORUM', 'PRIV'],
})
