#!/bin/sh
# Installs pavane @VERSION@ for Linux, after verifying the checksum of the archive.
#
#   sh install.sh FROM [TO]
#
# FROM is the folder or the address (https://…) that has the archive; TO is where programs go (~/.local).
set -eu

version=@VERSION@
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: sh install.sh FROM [TO], where FROM is the folder or address of the archives" >&2
    exit 2
fi
from=$1
to=${2:-$HOME/.local}

if [ "$(uname -s)" != Linux ]; then
    echo "there is no archive for $(uname -s); build pavane with: cargo install --path crates/cli" >&2
    exit 1
fi
architecture=$(uname -m)
case "$architecture" in
    @CHECKSUMS@
*) echo "there is no archive for $architecture; build pavane with: cargo install --path crates/cli" >&2 && exit 1 ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
name=pavane-$version-$architecture-linux
archive=$name.tar.gz
case "$from" in
http://* | https://*)
    if command -v curl >/dev/null; then
        curl --fail --location --silent --show-error --output "$folder/$archive" "$from/$archive"
    else
        wget --quiet --output-document "$folder/$archive" "$from/$archive"
    fi
    ;;
*) cp "$from/$archive" "$folder/$archive" ;;
esac
if ! echo "$sum  $folder/$archive" | sha256sum --check --status; then
    echo "$archive has another checksum than the one of version $version; nothing was installed" >&2
    exit 1
fi

tar -xzf "$folder/$archive" -C "$folder"
mkdir -p "$to/bin" "$to/share/man/man1"
for program in pavane pavane-verify; do
    # A running program is replaced, not overwritten.
    cp "$folder/$name/$program" "$to/bin/.$program.new"
    mv "$to/bin/.$program.new" "$to/bin/$program"
done
[ ! -d "$folder/$name/man" ] || cp "$folder/$name"/man/* "$to/share/man/man1/"
for place in bash-completion/completions/pavane:pavane.bash zsh/site-functions/_pavane:_pavane fish/vendor_completions.d/pavane.fish:pavane.fish; do
    source=$folder/$name/completions/${place#*:}
    target=$to/share/${place%%:*}
    [ -f "$source" ] || continue
    mkdir -p "$(dirname "$target")"
    cp "$source" "$target"
done
echo "installed $("$to/bin/pavane" --version) in $to/bin"
case ":$PATH:" in
*":$to/bin:"*) ;;
*) echo "add it to your path: export PATH=\"$to/bin:\$PATH\"" ;;
esac
