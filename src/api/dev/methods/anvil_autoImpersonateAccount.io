// any account sends, and none without a key again
>> {"jsonrpc":"2.0","id":1,"method":"anvil_autoImpersonateAccount","params":[true]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0x00000000000000000000000000000000000000aa","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8b94aa25803aacb68cb72c7cb573375c856fb905574b49f2088b9bebd9e3d25f"}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_autoImpersonateAccount","params":[false]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x00000000000000000000000000000000000000aa","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Account not found","data":"The node does not sign for 0x00000000000000000000000000000000000000aa; eth_accounts lists its accounts."}}
