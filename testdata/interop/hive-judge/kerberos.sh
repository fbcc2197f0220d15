#!/usr/bin/env bash
# kerberos.sh JAR COMMAND: runs COMMAND beside a KDC of MIT's and Hive's metastore, which asks for Kerberos. $HIVE is the beginning of
# the URLs of its tables, $PRINCIPAL the metastore's. A ticket of alice is in $KRB5CCNAME, and her key in $KEYTAB.
# Debian: apt-get install krb5-kdc krb5-admin-server krb5-user
set -euo pipefail
jar=$1
shift
dir=$(mktemp -d)
port=${KDC_PORT:-18888}
pids=()
cleanup() {
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	rm -rf "$dir"
}
trap cleanup EXIT
cat >"$dir/krb5.conf" <<EOF
[libdefaults]
 default_realm = ARROWIO.TEST
 dns_lookup_kdc = false
 dns_lookup_realm = false
 rdns = false
 udp_preference_limit = 1
[realms]
 ARROWIO.TEST = {
  kdc = localhost:$port
 }
[domain_realm]
 localhost = ARROWIO.TEST
EOF
cat >"$dir/kdc.conf" <<EOF
[kdcdefaults]
 kdc_ports = $port
 kdc_tcp_ports = $port
[realms]
 ARROWIO.TEST = {
  database_name = $dir/principal
  key_stash_file = $dir/stash
  acl_file = $dir/acl
 }
EOF
export KRB5_CONFIG=$dir/krb5.conf KRB5_KDC_PROFILE=$dir/kdc.conf KRB5CCNAME=$dir/cc KEYTAB=$dir/alice.keytab PRINCIPAL=hive/_HOST@ARROWIO.TEST
PATH=$PATH:/usr/sbin
{
	kdb5_util create -s -P master
	for q in "addprinc -randkey hive/localhost" "addprinc -randkey alice" "ktadd -k $dir/hive.keytab hive/localhost" "ktadd -k $KEYTAB alice"; do
		kadmin.local -q "$q"
	done
} >"$dir/kdc.log"
krb5kdc -n >>"$dir/kdc.log" 2>&1 &
pids+=($!)
sleep 1
kinit -k -t "$KEYTAB" alice
mkdir "$dir/tables"
mkfifo "$dir/in"
java -Xmx1g -Djava.security.krb5.conf="$KRB5_CONFIG" -Djudge.principal=hive/localhost@ARROWIO.TEST -Djudge.keytab="$dir/hive.keytab" \
	-jar "$jar" metastore "$dir/tables" 1 <"$dir/in" >"$dir/port" 2>"$dir/err" &
pids+=($!)
exec 9>"$dir/in"
for _ in $(seq 300); do
	[ -s "$dir/port" ] && break
	sleep 0.5
done
[ -s "$dir/port" ] || { cat "$dir/err" >&2; exit 1; }
export HIVE=hive://localhost:$(cat "$dir/port")/d.
"$@"
