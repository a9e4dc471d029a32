// at block 0
>> {"jsonrpc":"2.0","id":1,"method":"anvil_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"currentBlockNumber":"0x0","currentBlockTimestamp":0,"currentBlockHash":"0x1b45d0faf5d4f36506247928cab018e036371b39903297c2157555e42d62b7ff","hardFork":"osaka","transactionOrder":"fees","environment":{"baseFee":"0x0","chainId":1337,"gasLimit":"0x1fffffffffffff","gasPrice":"0x0"},"forkConfig":{"forkUrl":null,"forkBlockNumber":null,"forkRetryBackoff":null}}}
