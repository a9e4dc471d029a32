/** The token of contracts/TestToken.sol, compiled by solc on demand. */
import { join } from 'node:path'
import { compileSolidity, type SolidityContract } from '../../support/compile-solidity.ts'

export function compileToken(): SolidityContract {
  return compileSolidity(join(import.meta.dirname, 'contracts', 'TestToken.sol')).TestToken!
}
