// at block 0
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_metadata","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"clientVersion":"cairn/v0.1.0/linux-x86_64/node-v24","chainId":1337,"instanceId":"0x29009ccf88004d9e805d93314e06f7206ae201d3e1199ab6bb91aefef84105fb","latestBlockNumber":0,"latestBlockHash":"0x1b45d0faf5d4f36506247928cab018e036371b39903297c2157555e42d62b7ff"}}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_metadata","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"clientVersion":"cairn/v0.1.0/linux-x86_64/node-v24","chainId":1337,"instanceId":"0x29009ccf88004d9e805d93314e06f7206ae201d3e1199ab6bb91aefef84105fb","latestBlockNumber":0,"latestBlockHash":"0x1b45d0faf5d4f36506247928cab018e036371b39903297c2157555e42d62b7ff"}}
