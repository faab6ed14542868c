//! Programs that fetch, send and log in.

use super::Syntax;

/// What ssh accepts before the host.
const SSH: &str = "-4 -6 -A -a -B= -b= -C -c= -D= -E= -e= -F= -f -G -g -I= -i= -J= -K -k -L= -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q \
    -R= -S= -s -T -t -V -v -W= -w= -X -x -Y -y";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::new(
        "curl",
        "--abstract-unix-socket= --alt-svc= --anyauth -a|--append --aws-sigv4= --basic --ca-native --cacert= --capath= -E|--cert= \
         --cert-status --cert-type= --ciphers= --compressed --compressed-ssh -K|--config= --connect-timeout= --connect-to= \
         -C|--continue-at= -b|--cookie= -c|--cookie-jar= --create-dirs --create-file-mode= --crlf --crlfile= --curves= -d|--data= \
         --data-ascii= --data-binary= --data-raw= --data-urlencode= --delegation= --digest -q|--disable --disable-eprt \
         --disable-epsv --disallow-username-in-url --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers= --doh-url= \
         --doh-insecure -D|--dump-header= --ech= --egd-file= --engine= --etag-compare= --etag-save= --expect100-timeout= -f|--fail \
         --fail-early --fail-with-body --false-start -F|--form= --form-escape --form-string= --ftp-account= --ftp-method= --ftp-pasv \
         -P|--ftp-port= --ftp-ssl-ccc -G|--get -g|--globoff --happy-eyeballs-timeout-ms= --haproxy-protocol --haproxy-clientip= -I|--head \
         -H|--header= -h|--help=? --hostpubmd5= --hostpubsha256= --hsts= --http0.9 -0|--http1.0 --http1.1 --http2 \
         --http2-prior-knowledge --http3 --http3-only --ignore-content-length -i|--include|--show-headers -k|--insecure --interface= \
         --ip-tos= --ipfs-gateway= -4|--ipv4 -6|--ipv6 --json= -j|--junk-session-cookies --keepalive-time= --keepalive-cnt= --key= \
         --key-type= --krb= --libcurl= --limit-rate= -l|--list-only --local-port= -L|--location --location-trusted --login-options= \
         --mail-auth= --mail-from= --mail-rcpt= --mail-rcpt-allowfails -M|--manual --max-filesize= --max-redirs= -m|--max-time= \
         --metalink --negotiate -n|--netrc --netrc-file= --netrc-optional -:|--next --no-alpn -N|--no-buffer --no-clobber \
         --no-keepalive --no-npn --no-progress-meter --no-sessionid --noproxy= --ntlm --ntlm-wb --oauth2-bearer= -o|--output= \
         --output-dir= -Z|--parallel --parallel-immediate --parallel-max= --pass= --path-as-is --pinnedpubkey= --post301 --post302 \
         --post303 --preproxy= -#|--progress-bar --proto= --proto-default= --proto-redir= -x|--proxy= --proxy-anyauth --proxy-basic \
         --proxy-cacert= --proxy-cert= --proxy-header= --proxy-insecure --proxy-key= -U|--proxy-user= --proxy1.0= -p|--proxytunnel \
         --pubkey= -Q|--quote= --random-file= -r|--range= --rate= --raw -e|--referer= -J|--remote-header-name -O|--remote-name \
         --remote-name-all -R|--remote-time --remove-on-error -X|--request= --request-target= --resolve= --retry= \
         --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --sasl-authzid= --sasl-ir --service-name= \
         -S|--show-error -s|--silent --skip-existing --socks4= --socks4a= --socks5= --socks5-hostname= -Y|--speed-limit= -y|--speed-time= --ssl \
         --ssl-allow-beast --ssl-no-revoke --ssl-reqd -2|--sslv2 -3|--sslv3 --stderr= --styled-output --suppress-connect-headers \
         --tcp-fastopen --tcp-nodelay -t|--telnet-option= --tftp-blksize= --tftp-no-options -z|--time-cond= --tls-max= \
         --tls13-ciphers= -1|--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace= --trace-ascii= --trace-config= \
         --trace-ids --trace-time --unix-socket= -T|--upload-file= --url= --url-query= -B|--use-ascii -u|--user= -A|--user-agent= \
         --variable= -v|--verbose -V|--version --vlan-priority= -w|--write-out= --xattr",
    ),
    Syntax::new(
        "wget",
        "-V|--version -h|--help -b|--background -e|--execute= -o|--output-file= -a|--append-output= -d|--debug -q|--quiet -v|--verbose \
         --no-verbose --report-speed= -i|--input-file= -F|--force-html -B|--base= --config= -t|--tries= --retry-connrefused \
         --retry-on-http-error= -O|--output-document= --no-clobber -c|--continue --start-pos= --progress= --show-progress -N|--timestamping \
         -S|--server-response --spider -T|--timeout= --dns-timeout= --connect-timeout= --read-timeout= -w|--wait= --waitretry= \
         --random-wait --no-proxy -Q|--quota= --bind-address= --limit-rate= -4|--inet4-only -6|--inet6-only --user= --password= \
         --ask-password -x|--force-directories --protocol-directories -P|--directory-prefix= --cut-dirs= --http-user= \
         --http-password= --no-cache -E|--adjust-extension --header= --compression= --max-redirect= --proxy-user= --proxy-password= \
         --referer= --save-headers -U|--user-agent= --no-http-keep-alive --no-cookies --load-cookies= --save-cookies= \
         --keep-session-cookies --post-data= --post-file= --method= --body-data= --body-file= --content-disposition \
         --content-on-error --no-check-certificate --certificate= --private-key= --ca-certificate= --ca-directory= -r|--recursive \
         -l|--level= --delete-after -k|--convert-links -K|--backup-converted -m|--mirror -p|--page-requisites -A|--accept= -R|--reject= \
         -D|--domains= --exclude-domains= -H|--span-hosts -L|--relative -I|--include-directories= -X|--exclude-directories= \
         -n= --no-parent",
    ),
    Syntax::in_full("ssh", SSH).launcher(),
    Syntax::in_full("sftp|slogin", SSH),
    Syntax::in_full("scp", "-3 -4 -6 -A -B -C -c= -D= -F= -i= -J= -l= -o= -O -P= -p -q -R -r -S= -s -T -v -X="),
    Syntax::in_full("ssh-keygen", "-q -a= -b= -C= -f= -m= -N= -O= -t= -w= -Z= -p -P= -i -e -y -c -l -v -B -D= -F= -H -K -R= -r= -g -M= -I= -h -n= -s= -V= -z= -A -L -Q -k -u -Y="),
    Syntax::in_full("ssh-add|ssh-copy-id", "-c -D -d -E= -e= -H= -h= -K -k -L -l -q -S= -s= -T -t= -v -X -x -i= -f -n -o= -p= -F="),
    Syntax::in_full(
        "rsync",
        "-v|--verbose --info= --debug= --stderr= -q|--quiet --no-motd -c|--checksum -a|--archive -r|--recursive -R|--relative \
         --no-implied-dirs -b|--backup --backup-dir= --suffix= -u|--update --inplace --append --append-verify -d|--dirs --old-dirs \
         --mkpath -l|--links -L|--copy-links --copy-unsafe-links --safe-links --munge-links -k|--copy-dirlinks \
         -K|--keep-dirlinks -H|--hard-links -p|--perms -E|--executability --chmod= -A|--acls -X|--xattrs -o|--owner -g|--group --devices \
         --copy-devices --write-devices --specials -D -t|--times -U|--atimes --open-noatime -N|--crtimes -O|--omit-dir-times \
         -J|--omit-link-times --super --fake-super -S|--sparse --preallocate -n|--dry-run -W|--whole-file --checksum-choice= \
         -x|--one-file-system -B|--block-size= -e|--rsh= --rsync-path= --existing --ignore-existing --remove-source-files --del \
         --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --ignore-missing-args \
         --delete-missing-args --ignore-errors --force --max-delete= --max-size= --min-size= --max-alloc= --partial --partial-dir= \
         --delay-updates -m|--prune-empty-dirs --numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= -I|--ignore-times \
         --size-only -@|--modify-window= -T|--temp-dir= -y|--fuzzy --compare-dest= --copy-dest= --link-dest= -z|--compress \
         --compress-choice= --compress-level= --skip-compress= -C|--cvs-exclude -f|--filter= -F --exclude= --exclude-from= --include= \
         --include-from= --files-from= -0|--from0 --old-args -s|--secluded-args|--protect-args --trust-sender --copy-as= --address= --port= \
         --sockopts= --blocking-io --outbuf= --stats -8|--8-bit-output -h|--human-readable --progress -P -i|--itemize-changes -M|--remote-option= \
         --out-format= --log-file= --log-file-format= --password-file= --early-input= --list-only --bwlimit= --stop-after= \
         --stop-at= --fsync --write-batch= --only-write-batch= --read-batch= --protocol= --iconv= --checksum-seed= -4|--ipv4 -6|--ipv6",
    ),
    Syntax::in_full("nc|ncat|netcat", "-4 -6 -b -C -D -d -e|--exec= -c|--sh-exec= -F -h -I= -i= -k -l|--listen -M= -m= -N -n -O= -P= -p= -q= -r -S -s= -T= -t -U -u|--udp -V= -v|--verbose -W= -w= -X= -x= -z"),
    Syntax::single_dash("openssl", "").with(&[
        Syntax::single_dash("enc", "-in= -out= -e -d -a -base64 -pass= -k= -K= -iv= -pbkdf2 -iter= -salt -nosalt -md= -aes-256-cbc"),
        Syntax::single_dash("s_client", "-connect= -host= -port= -servername= -cert= -key= -CAfile= -quiet -showcerts"),
        Syntax::single_dash("req|x509|genrsa|rsa|pkcs12|dgst|genpkey|pkey", "-in= -out= -key= -keyout= -new -x509 -nodes -days= -subj= -config= -noout -text -passin= -passout= -newkey= -inform= -outform= -algorithm="),
    ]),
    Syntax::new("gpg|gpg2", "-a|--armor -b|--detach-sign -c|--symmetric -d|--decrypt -e|--encrypt -s|--sign -u|--local-user= -r|--recipient= -o|--output= -k|--list-keys -K|--list-secret-keys --export --export-secret-keys --export-secret-subkeys --delete-keys --delete-secret-keys --import --edit-key --gen-key --full-generate-key --keyserver= --recv-keys --send-keys --homedir= --batch --yes --no --passphrase= --passphrase-fd= --passphrase-file= --pinentry-mode= --verify -q|--quiet -v|--verbose -n|--dry-run --trust-model="),
];
