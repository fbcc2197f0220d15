#!/usr/bin/env bash
# kerberos-check.sh ARROWIO: what kerberos.sh runs.
set -euo pipefail
arrowio=$1
fail() { echo "kerberos-check: $*" >&2; exit 1; }
count() { "$arrowio" count --hive-principal "$PRINCIPAL" "${HIVE}$1"; }
[ "$(count events)" = 9 ] || fail "with a ticket"
[ "$(KRB5CCNAME=/none KRB5_CLIENT_KTNAME=$KEYTAB count events)" = 9 ] || fail "with a keytab"
[ "$(count inserts)" = 2 ] || fail "a table with transactions"
row=$(mktemp --suffix .csv)
printf 'id,day,region\n1,2024-03-01,new\n' >"$row"
"$arrowio" convert --hive-principal "$PRINCIPAL" "$row" "${HIVE}events"
rm "$row"
[ "$(count events)" = 10 ] || fail "after a row was added"
if "$arrowio" count "${HIVE}events" 2>/dev/null; then fail "without Kerberos"; fi
if KRB5CCNAME=/none count events 2>/dev/null; then fail "without a ticket"; fi
if PRINCIPAL=nobody/_HOST@ARROWIO.TEST count events 2>/dev/null; then fail "a principal that does not exist"; fi
echo "Kerberos: a table was read with a ticket and with a keytab, and written"
