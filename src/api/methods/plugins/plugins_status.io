// options: --plugins=willing
// two plugins
>> {"jsonrpc":"2.0","id":1,"method":"plugins_status","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[{"name":"alpha","version":"1.0.0","state":"running","cause":null,"declares":"nothing"},{"name":"gamma","version":"1.0.0","state":"running","cause":null,"declares":"nothing"}]}
// options: --network-id=1
// no plugins
>> {"jsonrpc":"2.0","id":2,"method":"plugins_status","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":[]}
