/** Our rules as @ethereumjs/common has them. */

import type { CustomCrypto } from '@ethereumjs/common'
import { Common, type HardforkTransitionConfig } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import type { Rules } from '#evm/rules.ts'
import { FORK_NAMES, type ForkName } from '#types/genesis/fork-schedule.ts'

/** Forks by their names there. Those that are not here change nothing that code can see. */
const NAMES: Partial<Record<ForkName, string>> = {
  frontier: 'chainstart',
  homestead: 'homestead',
  tangerineWhistle: 'tangerineWhistle',
  spuriousDragon: 'spuriousDragon',
  byzantium: 'byzantium',
  constantinople: 'constantinople',
  petersburg: 'petersburg',
  istanbul: 'istanbul',
  berlin: 'berlin',
  london: 'london',
  paris: 'paris',
  shanghai: 'shanghai',
  cancun: 'cancun',
  prague: 'prague',
  // The BPO forks after it change only the price of blobs, which is ours to compute.
  osaka: 'osaka',
}

/** Where @ethereumjs/evm keeps the limit of EIP-170. */
const EIP_170_PARAMETERS = '607'

/**
 * Every fork up to the one in force is named: only the rules of named forks hold. They stand at block 0, because
 * which rules hold was decided before.
 */
export function createCommon(rules: Rules, customCrypto: CustomCrypto): Common {
  const hardforks: HardforkTransitionConfig[] = FORK_NAMES.flatMap((fork) => {
    const name = NAMES[fork]
    return name !== undefined && rules.has(fork) ? [{ name, block: 0 }] : []
  })
  return new Common({
    chain: {
      name: 'cairn',
      chainId: rules.chainId.toString(),
      genesis: { gasLimit: 0, difficulty: 0, nonce: '0x0000000000000000', extraData: '0x' },
      hardforks,
      bootstrapNodes: [],
      // Only 'poa' would be looked at.
      consensus: { type: 'pow', algorithm: 'ethash' },
    },
    hardfork: hardforks.at(-1)!.name,
    customCrypto,
  })
}

export function createParameters(rules: Rules): typeof paramsEVM {
  const limits = { ...paramsEVM[EIP_170_PARAMETERS], maxCodeSize: rules.maxCodeBytes }
  return { ...paramsEVM, [EIP_170_PARAMETERS]: limits }
}
